// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/guard.hpp>

GANTRY_INSTANTIATE(gantry::GuardAdmitRequest)
GANTRY_INSTANTIATE(gantry::GuardVerdict)
GANTRY_INSTANTIATE(gantry::GuardProposal)
GANTRY_INSTANTIATE(gantry::GuardPromise)
GANTRY_INSTANTIATE(gantry::GuardSettleRequest)
GANTRY_INSTANTIATE(gantry::GuardBudgets)
GANTRY_INSTANTIATE(gantry::GuardRules)
GANTRY_INSTANTIATE(gantry::GuardStatusReport)
