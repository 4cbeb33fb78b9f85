// SPDX-License-Identifier: Apache-2.0
//
// multipart/form-data (RFC 7578), as an upload sends it. Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::agent_http {

struct Part {
  std::string name;
  std::optional<std::string> filename;  // there is one when the part is a file
  std::optional<std::string> content_type;
  std::string_view content;  // of the body
};

/// The boundary of a content type; nullopt: it is not multipart/form-data; empty: it has none.
std::optional<std::string> multipart_boundary(std::string_view content_type);

/// The parts of a body that lives longer than they do; nullopt: it is broken, or has more than 100.
std::optional<std::vector<Part>> multipart_parts(std::string_view body, std::string_view boundary);

}  // namespace gantry::agent_http
