// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/ask.hpp>

namespace gantry::gateway {

using gantry::ask;

}  // namespace gantry::gateway
