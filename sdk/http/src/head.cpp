// SPDX-License-Identifier: Apache-2.0
#include "head.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace gantry::http {
namespace {

constexpr std::size_t kMostHeaders = 256;
constexpr std::string_view kSpaces = " \t";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

/// Takes the first line off the front.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// Whether a comma-separated list has the word.
bool lists(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    if (same_word(trimmed(list.substr(0, end)), word)) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

bool ends_line(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

void add(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  out += value;
  out += "\r\n";
}

Error broken(std::string what) { return {Code::DataLoss, std::move(what), {}}; }

/// "HTTP/1.1 200 OK"
Result<int> read_status(std::string_view line) {
  const std::size_t space = line.find_first_of(kSpaces);
  const std::string_view rest =
      space == std::string_view::npos ? std::string_view() : trimmed(line.substr(space));
  int status = 0;
  const bool ends = rest.size() == 3 || (rest.size() > 3 && rest[3] == ' ');
  if (line.starts_with("HTTP/") && ends) {
    const auto read = std::from_chars(rest.data(), rest.data() + 3, status);
    if (read.ptr == rest.data() + 3 && status >= 100) return status;
  }
  return broken("the server does not speak HTTP");
}

Result<void> read_length(AnswerHead& head, std::string_view value) {
  std::uint64_t length = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), length);
  if (read.ec != std::errc() || read.ptr != value.data() + value.size() ||
      head.length.value_or(length) != length) {
    return broken("the length of the answer is '" + std::string(value.substr(0, 32)) + "'");
  }
  head.length = length;
  return {};
}

Result<void> read_header(AnswerHead& head, std::string_view name, std::string_view value) {
  std::string low(name);
  std::transform(low.begin(), low.end(), low.begin(), lower);
  if (low == "content-length") {
    GANTRY_TRY(read_length(head, value));
  } else if (low == "transfer-encoding") {
    head.chunked = same_word(value, "chunked");
  } else if (low == "connection") {
    head.keep_alive = !lists(value, "close") && (head.keep_alive || lists(value, "keep-alive"));
  }
  head.told.headers[std::move(low)] = value;
  return {};
}

}  // namespace

Result<std::string> write_head(const HttpRequest& request, std::string_view target,
                               std::string_view host, bool keep_alive) {
  constexpr std::size_t kUsual = 512;
  std::string out;
  out.reserve(kUsual);
  out.append(request.method).append(" ").append(target).append(" HTTP/1.1\r\n");
  const auto& headers = request.headers;
  const auto given = [&](std::string_view name) {
    return std::any_of(headers.begin(), headers.end(),
                       [&](const auto& header) { return same_word(header.first, name); });
  };
  if (!given("Host")) add(out, "Host", host);
  if (!given("Connection")) add(out, "Connection", keep_alive ? "Keep-Alive" : "Close");
  for (auto header = headers.begin(); header != headers.end(); ++header) {
    const auto& [name, value] = *header;
    if (name.empty() || ends_line(name) || ends_line(value)) {
      return invalid_argument("the header '" + name.substr(0, name.find_first_of("\r\n")) +
                              "' of the request has no name or more than one line");
    }
    // Of those with one name the last counts; the length is what it is.
    const bool again = std::any_of(header + 1, headers.end(),
                                   [&](const auto& later) { return same_word(later.first, name); });
    if (!again && !same_word(name, "Content-Length")) add(out, name, value);
  }
  if (!request.body.empty() || request.method == "POST" || request.method == "PUT" ||
      request.method == "PATCH") {
    add(out, "Content-Length", std::to_string(request.body.size()));
  }
  out += "\r\n";
  return out;
}

std::size_t head_end(std::string_view bytes, std::size_t from) {
  // The end may have begun within what was looked at.
  for (std::size_t at = from < 2 ? 0 : from - 2; (at = bytes.find('\n', at)) != bytes.npos;) {
    const std::string_view next = bytes.substr(++at, 2);
    if (next.starts_with('\n')) return at + 1;
    if (next == "\r\n") return at + 2;
  }
  return bytes.npos;
}

Result<AnswerHead> read_head(std::string_view text) {
  AnswerHead head;
  const std::string_view first = take_line(text);
  GANTRY_ASSIGN(head.told.status, read_status(first));
  head.keep_alive = first.starts_with("HTTP/1.1");
  std::size_t count = 0;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.empty()) break;
    std::string folded;
    while (!text.empty() && kSpaces.find(text.front()) != std::string_view::npos) {
      if (folded.empty()) folded = line;
      folded.append(" ").append(trimmed(take_line(text)));
    }
    if (++count > kMostHeaders) return broken("the answer has too many headers");
    const std::string_view whole = folded.empty() ? line : std::string_view(folded);
    const std::size_t colon = whole.find(':');
    if (colon == 0 || colon == std::string_view::npos) continue;  // says nothing
    GANTRY_TRY(
        read_header(head, trimmed(whole.substr(0, colon)), trimmed(whole.substr(colon + 1))));
  }
  return head;
}

}  // namespace gantry::http
