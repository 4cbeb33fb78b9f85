// SPDX-License-Identifier: Apache-2.0
#pragma once
// A call's arguments against the parameters in the tool's row. What is documented there is either
// taken or refused; what is not documented is ignored, and the answer says so.

#include <string>
#include <vector>

#include "tools.hpp"

namespace gantry::observation {

/// The arguments as the tool may read them, or BadRequest that names the parameter and what was
/// found. Text stands for a number, a flag or a list as queries carry them, and for an object or an
/// array when it is JSON; an empty text is as good as none for everything but a string.
[[nodiscard]] Outcome<Arguments> check_arguments(const Tool& tool, Arguments arguments);

/// Names that the tool does not know, sorted. Names that begin with an underscore are a caller's
/// private marks.
[[nodiscard]] std::vector<std::string> ignored_arguments(const Tool& tool,
                                                         const Arguments& arguments);
/// The same of arguments as they came, and inside `args` of what propose_action proposes; none when
/// they are no JSON object. Who misspelt `text` has put what was to be typed there, so records
/// treat these like what is typed.
[[nodiscard]] std::vector<std::string> unknown_arguments(const Tool& tool, const std::string& json);

}  // namespace gantry::observation
