// SPDX-License-Identifier: Apache-2.0
#include "output_log.hpp"

#include <gantry/tools/text.hpp>

#include <algorithm>

namespace gantry::shell {
namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80; }

}  // namespace

void OutputLog::append(std::string_view bytes) {
  total_ += bytes.size();
  const std::size_t room = std::min(head_limit_ - head_.size(), bytes.size());
  head_ += bytes.substr(0, room);
  bytes.remove_prefix(room);
  if (bytes.empty()) return;
  if (bytes.size() > tail_limit_) {
    dropped_ += bytes.size() - tail_limit_;
    bytes.remove_prefix(bytes.size() - tail_limit_);
  }
  tail_ += bytes;
  if (tail_.size() <= 2 * tail_limit_) return;
  const std::size_t old = tail_.size() - tail_limit_;
  dropped_ += old;
  tail_.erase(0, old);
}

OutputText OutputLog::take(bool more) {
  std::string& end = tail_.empty() ? head_ : tail_;
  const std::size_t open = more ? tools::unfinished_utf8(end) : 0;
  const std::string rest = end.substr(end.size() - open);
  end.erase(end.size() - open);
  OutputText out = render(head_, tail_, dropped_);
  head_ = rest;
  tail_.clear();
  dropped_ = 0;
  return out;
}

OutputText OutputLog::render(std::string_view head, std::string_view tail, std::uint64_t dropped) {
  OutputText out;
  if (dropped == 0) {  // head and tail are one text, and a character may lie across
    std::string whole(head);
    whole += tail;
    out.text = tools::repaired_utf8(whole);
    return out;
  }
  const std::size_t open = tools::unfinished_utf8(head);
  std::size_t skipped = 0;
  while (skipped < 3 && skipped < tail.size() && continues(tail[skipped])) ++skipped;
  out.dropped = dropped + open + skipped;
  out.text = tools::repaired_utf8(head.substr(0, head.size() - open)) + "\n[… " +
             std::to_string(out.dropped) + " bytes left out …]\n" +
             tools::repaired_utf8(tail.substr(skipped));
  return out;
}

}  // namespace gantry::shell
