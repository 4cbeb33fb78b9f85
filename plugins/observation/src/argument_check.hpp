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

/// "predicates[0]"
[[nodiscard]] std::string part_name(std::string_view parameter, std::size_t index);
/// "predicates[0].selector"
[[nodiscard]] std::string part_selector(std::string_view parameter, std::size_t index);

/// Arguments as they came, as a record may have them: who misspelt `text` has put what was to be
/// typed there, and may have put it into the name. What the tool does not take, in any depth, is
/// left out and counted in "<ignored>"; a value that a parameter cannot have is "<redacted>", and
/// so is what is expected of elements in parts that are not `readable` (Settlement), and the value
/// by which an element is looked for, unless the call `found` what anybody may read or the part's
/// selector is readable. No JSON object: {}. nullptr: no tool, so nothing of them means anything.
[[nodiscard]] std::string recordable_args(const Tool* tool, const std::string& json,
                                          const std::vector<std::string>& readable, bool found);

}  // namespace gantry::observation
