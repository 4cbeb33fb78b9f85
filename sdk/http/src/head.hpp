// SPDX-License-Identifier: Apache-2.0
#pragma once
// The heads of HTTP/1.1 as text: written for a request, read of an answer. Pure functions.

#include <gantry/http/client.hpp>
#include <gantry/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gantry::http {

/// What goes out before the body. `target` is what the first line asks for, `host` the server's
/// name and port; a header of the request with the same name counts instead of one that is made up
/// here. Errors: invalid_argument (a header that would end its line).
Result<std::string> write_head(const HttpRequest& request, std::string_view target,
                               std::string_view host, bool keep_alive);

struct AnswerHead {
  HttpHead told;
  bool keep_alive = false;  // the server does not close the connection after this answer
  bool chunked = false;
  std::optional<std::uint64_t> length;  // of the body, in bytes

  /// Another head follows: this one says only that the server is at work.
  [[nodiscard]] bool interim() const {
    return told.status >= 100 && told.status < 200 && told.status != 101;
  }
};

/// Where the head at the front of `bytes` ends, its empty line with it; npos when that is not there
/// yet. `from`: so many were looked at before.
[[nodiscard]] std::size_t head_end(std::string_view bytes, std::size_t from);

/// `text` is one whole head. Errors: data_loss (it is none, or says two things of its body).
Result<AnswerHead> read_head(std::string_view text);

}  // namespace gantry::http
