// SPDX-License-Identifier: Apache-2.0
#include <gantry/http/sse.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace gantry::http {
namespace {

constexpr std::size_t kLongestId = 1024;  // it comes back as a header

/// Where the first line ends. Two searches that look at many bytes at once take a tenth of one that
/// asks of every byte which of the two it is.
std::size_t line_end(std::string_view bytes) {
  const std::size_t feed = bytes.find('\n');
  return std::min(feed, bytes.substr(0, feed).find('\r'));
}

}  // namespace

bool SseReader::feed(std::string_view bytes, const Use& use) {
  while (!bytes.empty()) {
    if (std::exchange(after_return_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t end = line_end(bytes);
    const std::string_view piece = bytes.substr(0, end);
    if (partial_.size() + event_.data.size() + piece.size() > max_event_) return false;
    if (end == std::string_view::npos) {
      partial_ += piece;
      break;
    }
    after_return_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (partial_.empty()) {
      line(piece, use);
    } else {
      partial_ += piece;
      const std::string whole = std::exchange(partial_, {});
      line(whole, use);
    }
  }
  return true;
}

void SseReader::end(const Use& use) {
  if (!partial_.empty()) {
    const std::string whole = std::exchange(partial_, {});
    line(whole, use);
  }
  dispatch(use);
}

void SseReader::line(std::string_view line, const Use& use) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (std::exchange(first_line_, false) && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  if (line.empty()) return dispatch(use);
  const std::size_t colon = line.find(':');
  if (colon == 0) return;  // a comment
  const std::string_view field = line.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") {
    if (std::exchange(has_data_, true)) event_.data += '\n';
    event_.data += value;
  } else if (field == "event") {
    event_.name = value;
  } else if (field == "id") {
    if (value.find('\0') == std::string_view::npos && value.size() <= kLongestId) last_id_ = value;
  } else if (field == "retry") {
    std::int64_t ms = 0;
    const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), ms);
    if (problem == std::errc() && end == value.data() + value.size() && ms >= 0) retry_ms_ = ms;
  }
}

void SseReader::dispatch(const Use& use) {
  SseEvent event = std::exchange(event_, {});
  event.id = last_id_;
  if (std::exchange(has_data_, false)) use(event);
}

}  // namespace gantry::http
