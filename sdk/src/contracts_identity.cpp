// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/identity.hpp>

GANTRY_INSTANTIATE(gantry::IdentityVerifyRequest)
GANTRY_INSTANTIATE(gantry::IdentityVerified)
GANTRY_INSTANTIATE(gantry::RegisterInstallRequest)
GANTRY_INSTANTIATE(gantry::RegisteredInstall)
GANTRY_INSTANTIATE(gantry::IdentityResolveRequest)
GANTRY_INSTANTIATE(gantry::Principal)
GANTRY_INSTANTIATE(gantry::IssueCredentialRequest)
GANTRY_INSTANTIATE(gantry::IssuedCredential)
GANTRY_INSTANTIATE(gantry::CredentialsRequest)
GANTRY_INSTANTIATE(gantry::CredentialList)
GANTRY_INSTANTIATE(gantry::RevokeCredentialRequest)
GANTRY_INSTANTIATE(gantry::CredentialRevokedEvent)
