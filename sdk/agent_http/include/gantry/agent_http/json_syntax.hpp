// SPDX-License-Identifier: Apache-2.0
//
// Where and why a text is no JSON, in the words of Python's json module: clients of this protocol
// see them in 422 answers. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::agent_http {

struct SyntaxProblem {
  std::string message;       // "Expecting value"
  std::size_t position = 0;  // in characters
};

/// nullopt: no problem that Python would see.
std::optional<SyntaxProblem> syntax_problem(std::string_view text);

}  // namespace gantry::agent_http
