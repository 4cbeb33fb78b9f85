// SPDX-License-Identifier: Apache-2.0
#pragma once
// Takes the content coding off a body. Pure. Sources: RFC 9110 (gzip, deflate), RFC 1950 to 1952.

#include <gantry/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace gantry::web {

struct Decoded {
  std::string bytes;
  bool cut = false;  // there was more than `limit`, or the body ended in the middle
};

/// `coding` is the value of Content-Encoding; empty and identity copy. No more than `limit` bytes
/// come out, however much would. Errors: data_loss (broken), failed_precondition (another coding,
/// or more than one).
[[nodiscard]] Result<Decoded> decode_body(std::string_view coding, std::string body,
                                          std::size_t limit);

}  // namespace gantry::web
