// SPDX-License-Identifier: Apache-2.0
//
// Documents: what people attach that is neither text nor picture, as text that a model reads.
#pragma once

#include <gantry/buffer.hpp>
#include <gantry/contracts/common.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace gantry {

struct DocumentTextRequest {
  Buffer content;
  std::int64_t max_bytes = 512LL << 10;  // of the text; what is longer is cut
};
BOOST_DESCRIBE_STRUCT(DocumentTextRequest, (), (content, max_bytes))

struct DocumentTextAnswer {
  std::string text;        // valid UTF-8, not empty
  bool truncated = false;  // the document goes on
};
BOOST_DESCRIBE_STRUCT(DocumentTextAnswer, (), (text, truncated))

/// What a document says, in reading order; its pictures are not looked at. What it is, its first
/// bytes say: a PDF. Errors: invalid_argument (no PDF; a damaged one; it needs a password),
/// failed_precondition (it has no text), resource_exhausted (it is too large, or too many are being
/// read), deadline_exceeded (it takes too long), unavailable (no program for it).
struct DocumentText {
  static constexpr std::string_view kName = "gantry.document.text/1";
  static constexpr std::string_view kDoc = "The text of a document (PDF).";
  using Request = DocumentTextRequest;
  using Response = DocumentTextAnswer;
};

}  // namespace gantry
