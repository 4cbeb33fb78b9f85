// SPDX-License-Identifier: Apache-2.0
#pragma once
// An answer of a web server as the result of a tool: text for reading, or a picture. Pure, any
// thread.

#include <gantry/contracts/tool.hpp>
#include <gantry/http/client.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::web {

struct PageLimits {
  std::size_t bytes = 5U << 20U;    // of the body, unpacked
  std::size_t picture = 4U << 20U;  // of one
  std::size_t text = 40'000;        // of one result
};

struct PageRequest {
  std::size_t offset = 0;  // bytes of the text that the caller has read already
  bool raw = false;        // the text as it came, not reduced
  PageLimits limits;
  std::function<bool()> given_up;  // hostile pages can take long
};

struct PageAnswer {
  std::string url;                     // where it came from in the end
  std::vector<std::string> redirects;  // the addresses before
  http::HttpHead head;
  std::string body;
  bool cut = false;  // there is more of the body than was read
};

/// The result of web_fetch. A status that is no success is a failed result with what the page says.
/// Errors: data_loss (it broke off, or is packed wrongly), failed_precondition (no text and no
/// picture), resource_exhausted (a picture that is too large).
[[nodiscard]] Result<ToolResult> read_page(PageAnswer answer, const PageRequest& request);

struct MediaType {
  std::string type;  // lower case: text/html
  std::string charset;
};
[[nodiscard]] MediaType read_media_type(std::string_view header);

}  // namespace gantry::web
