// SPDX-License-Identifier: Apache-2.0
//
// Wire form of the control API's refusals (plugins/control and the command line).
#pragma once

#include <gantry/contracts/common.hpp>
#include <gantry/json.hpp>

#include <string>

namespace gantry {

struct ControlError {
  std::string code;  // name of a canonical code, "not_found"
  std::string message;
  Json detail;
};
BOOST_DESCRIBE_STRUCT(ControlError, (), (code, message, detail))

struct ControlFailure {
  ControlError error;
};
BOOST_DESCRIBE_STRUCT(ControlFailure, (), (error))

}  // namespace gantry
