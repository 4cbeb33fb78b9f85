// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/artifact.hpp>

GANTRY_INSTANTIATE(gantry::ArtifactPutRequest)
GANTRY_INSTANTIATE(gantry::ArtifactInfo)
GANTRY_INSTANTIATE(gantry::ArtifactRequest)
GANTRY_INSTANTIATE(gantry::ArtifactContent)
GANTRY_INSTANTIATE(gantry::ArtifactListRequest)
GANTRY_INSTANTIATE(gantry::ArtifactPage)
