// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a value that a tool refused may have meant: one word of several, a number within limits, a
// key, a condition. Pure.

#include <boost/json/object.hpp>
#include <string_view>

#include "argument_lesson.hpp"

namespace gantry::mcp {

/// Puts values of the lesson's arguments right that `message` refuses, where the schema or the
/// message says what there is, and adds what else may have been meant to its `near`.
void correct_values(ArgumentLesson& lesson, const boost::json::object& schema,
                    std::string_view message);

}  // namespace gantry::mcp
