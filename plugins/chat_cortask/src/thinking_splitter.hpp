// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tells what a model thinks from what it says, where it writes both as one text: what is between
// <thinking> and </thinking> is thought. The pieces of the text may end anywhere, also inside of a
// tag; tags are never shown. Pure.

#include <functional>
#include <string>
#include <string_view>

namespace gantry::chat_cortask {

class ThinkingSplitter {
 public:
  /// Gets a piece that is not empty, and whether it is thought.
  using Sink = std::function<void(std::string_view text, bool thought)>;

  /// Hands on all of `text` but an end that may be the beginning of a tag.
  void feed(std::string_view text, const Sink& sink);
  /// The text ends here, or something else comes: what was held back is text after all.
  void flush(const Sink& sink);
  /// A new answer begins: nothing is open.
  void reset();

 private:
  [[nodiscard]] std::string_view tag() const;

  bool inside_ = false;
  std::string held_;  // a proper prefix of tag(), or empty
};

}  // namespace gantry::chat_cortask
