// SPDX-License-Identifier: Apache-2.0
//
// Chat completions with a picture, as servers have them. Pure.
#pragma once

#include <gantry/http/fetch.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "settings.hpp"

namespace gantry::vision_vlm {

/// Where chat completions may be under an address, the likeliest first.
std::vector<std::string> completion_urls(std::string_view base_url);

/// A request body; `picture` is a data URL.
std::string request_body(const Settings& settings, std::string_view model, std::string_view prompt,
                         std::string_view picture);

struct Reply {
  std::string text;
  std::int64_t tokens = 0;  // as the server counted; 0: it did not
};
/// What a server says. Errors: unavailable (no success; what to do about it is in the message),
/// resource_exhausted (too many requests). Nothing of the answer's body is in a message.
Result<Reply> read_reply(const http::HttpAnswer& answer);

}  // namespace gantry::vision_vlm
