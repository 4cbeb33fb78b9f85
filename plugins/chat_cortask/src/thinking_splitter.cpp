// SPDX-License-Identifier: Apache-2.0
#include "thinking_splitter.hpp"

#include <algorithm>
#include <utility>

namespace gantry::chat_cortask {
namespace {

constexpr std::string_view kOpen = "<thinking>";
constexpr std::string_view kClose = "</thinking>";

/// How many bytes at the end of `text` are the beginning of `tag`, but not all of it.
std::size_t begun(std::string_view text, std::string_view tag) {
  std::size_t length = std::min(text.size(), tag.size() - 1);
  while (length > 0 && !text.ends_with(tag.substr(0, length))) --length;
  return length;
}

}  // namespace

std::string_view ThinkingSplitter::tag() const { return inside_ ? kClose : kOpen; }

void ThinkingSplitter::feed(std::string_view text, const Sink& sink) {
  const std::string joined = std::exchange(held_, {}) + std::string(text);
  std::string_view rest = joined;
  for (std::size_t at = rest.find(tag()); at != std::string_view::npos; at = rest.find(tag())) {
    if (at > 0) sink(rest.substr(0, at), inside_);
    rest.remove_prefix(at + tag().size());
    inside_ = !inside_;
  }
  const std::size_t held = begun(rest, tag());
  if (rest.size() > held) sink(rest.substr(0, rest.size() - held), inside_);
  held_ = rest.substr(rest.size() - held);
}

void ThinkingSplitter::flush(const Sink& sink) {
  if (!held_.empty()) sink(std::exchange(held_, {}), inside_);
}

void ThinkingSplitter::reset() {
  inside_ = false;
  held_.clear();
}

}  // namespace gantry::chat_cortask
