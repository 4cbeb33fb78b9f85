// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a failure of one of the observer's tools teaches: what was nearly meant, and what to call
// next. Pure.

#include <gantry/contracts/observe.hpp>
#include <gantry/contracts/tool.hpp>

#include <boost/json/object.hpp>
#include <functional>
#include <string_view>

#include "argument_lesson.hpp"

namespace gantry::mcp {

/// Whether a tool takes an argument.
using Takes = std::function<bool(std::string_view tool, std::string_view argument)>;

/// Adds `near_matches`, when the engine knows any, and `next_call`, {tool, arguments, then}, to the
/// answer of a tool that failed. The arguments are those of the failed call that the next tool
/// takes too, with what the failure says put right. It is never the failed call itself, unless that
/// failed for something that passes (RateLimited, Timeout). Where only the caller can put it right
/// there is a `hint` instead, and a failure that no call can get around has neither. With `schemas`
/// a refusal of arguments also has `ignored_arguments`, and near ones of those.
void teach(boost::json::object& answer, std::string_view error_code, const ToolCallRequest& request,
           const Takes& takes, const ToolSchemas* schemas = nullptr);

}  // namespace gantry::mcp
