// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/user.hpp>

GANTRY_INSTANTIATE(gantry::UserAddRequest)
GANTRY_INSTANTIATE(gantry::UserLinkRequest)
GANTRY_INSTANTIATE(gantry::UserLinked)
GANTRY_INSTANTIATE(gantry::UserInfoList)
GANTRY_INSTANTIATE(gantry::UserRemoveRequest)
