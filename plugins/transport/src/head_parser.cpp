// SPDX-License-Identifier: Apache-2.0
#include "head_parser.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "beast_reader.hpp"

namespace gantry::transport {
namespace {

constexpr std::array<std::string_view, 7> kServedMethods = {"GET",   "HEAD",   "POST",   "PUT",
                                                            "PATCH", "DELETE", "OPTIONS"};
constexpr std::array<std::string_view, 2> kForbiddenMethods = {"CONNECT", "TRACE"};
constexpr size_t kLongestMethod = 32;
constexpr size_t kMostLengthDigits = 18;

Refusal refuse(int status, std::string message) { return {status, std::move(message), true}; }

bool is_visible_ascii(char c) { return c > 0x20 && c < 0x7f; }

/// field-value characters of RFC 9110 5.5: HTAB, SP, VCHAR and obs-text.
bool is_field_value_char(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
}

/// A first look at the method, so that a TLS hello or random bytes are answered at once and not
/// after the head deadline.
bool method_is_possible(std::string_view line) {
  const size_t space = line.find(' ');
  const std::string_view method = line.substr(0, std::min(space, kLongestMethod));
  return method.empty() ? space == std::string_view::npos : is_token(method);
}

std::optional<Refusal> check_request_line(std::string_view line, const Limits& limits) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return refuse(400, "the request line needs a method, a target and HTTP/1.1");
  }
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(method) || method.size() > kLongestMethod) {
    return refuse(400, "the method is not a token");
  }
  if (target.size() > limits.target_bytes) {
    return refuse(
        414, "the request target is longer than " + std::to_string(limits.target_bytes) + " bytes");
  }
  if (target.empty() || !std::all_of(target.begin(), target.end(), is_visible_ascii)) {
    return refuse(400, "the request target has characters that must be percent-encoded");
  }
  const bool shaped = version.size() == 8 && version.substr(0, 5) == "HTTP/" && version[6] == '.' &&
                      version[5] >= '0' && version[5] <= '9' && version[7] >= '0' &&
                      version[7] <= '9';
  if (!shaped) return refuse(400, "the request line does not end with an HTTP version");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return refuse(505, "only HTTP/1.1 and HTTP/1.0 are spoken here");
  }
  const auto is = [&](std::string_view m) { return m == method; };
  if (std::any_of(kForbiddenMethods.begin(), kForbiddenMethods.end(), is)) {
    return refuse(405, std::string(method) + " is not allowed here");
  }
  if (!is_served_method(method)) return refuse(501, "unknown method " + std::string(method));
  return std::nullopt;
}

/// A well-formed length that no 64-bit number holds: too large rather than malformed.
bool is_beyond_limits(std::string_view value) {
  value = trim(value);
  if (value.find_first_not_of("0123456789") != std::string_view::npos) return false;
  const size_t first = value.find_first_not_of('0');
  return first != std::string_view::npos && value.size() - first > kMostLengthDigits;
}

std::optional<Refusal> check_field_line(std::string_view line) {
  if (line.front() == ' ' || line.front() == '\t') {
    return refuse(400, "folded header fields are not accepted (RFC 9112 5.2)");
  }
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return refuse(400, "a header field has no colon");
  if (!is_token(line.substr(0, colon))) {
    return refuse(400, "a header field name is not a token (or is followed by a space)");
  }
  const std::string_view value = line.substr(colon + 1);
  if (!std::all_of(value.begin(), value.end(), is_field_value_char)) {
    return refuse(400, "a header field value has control characters");
  }
  if (equals_ignoring_case(line.substr(0, colon), "Content-Length") && is_beyond_limits(value)) {
    return refuse(413, "Content-Length is beyond every limit");
  }
  return std::nullopt;
}

std::optional<Refusal> check_lines(std::string_view text, const Limits& limits) {
  size_t begin = 0;
  size_t fields = 0;
  bool request_line = true;
  while (begin < text.size()) {
    const size_t end = text.find("\r\n", begin);
    if (end == std::string_view::npos) return refuse(400, "the head does not end with CR LF");
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 2;
    if (line.empty()) break;
    if (line.find('\n') != std::string_view::npos || line.find('\r') != std::string_view::npos) {
      return refuse(400, "a line of the head ends without CR LF");
    }
    auto refusal = request_line ? check_request_line(line, limits) : check_field_line(line);
    if (refusal) return refusal;
    if (!request_line && ++fields > limits.header_count) {
      return refuse(431, "more than " + std::to_string(limits.header_count) + " header fields");
    }
    request_line = false;
  }
  if (request_line) return refuse(400, "the head is empty");
  return std::nullopt;
}

/// uri-host [ ":" port ] of RFC 3986: enough to know that no path, user or space hides in it.
bool is_host_value(std::string_view host) {
  size_t name_end = 0;
  if (!host.empty() && host.front() == '[') {
    name_end = host.find(']');
    if (name_end == std::string_view::npos || name_end == 1) return false;
    const std::string_view inner = host.substr(1, name_end - 1);
    if (inner.find_first_not_of("0123456789abcdefABCDEF:.") != std::string_view::npos) return false;
    ++name_end;
  } else {
    name_end = std::min(host.find(':'), host.size());
    const auto ok = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             c == '-' || c == '.' || c == '_' || c == '~' || c == '%';
    };
    if (!std::all_of(host.begin(), host.begin() + static_cast<std::ptrdiff_t>(name_end), ok)) {
      return false;
    }
    if (name_end == 0) return false;
  }
  if (name_end == host.size()) return true;
  const std::string_view port = host.substr(name_end + 1);
  return host[name_end] == ':' && port.size() <= 5 &&
         port.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<Refusal> read_host(RequestHead& head) {
  const size_t hosts = head.count("Host");
  if (hosts > 1) return refuse(400, "more than one Host field");
  if (hosts == 0 && head.minor_version >= 1) return refuse(400, "the Host field is missing");
  head.host = head.find("Host");
  // An empty Host is legal only for targets without an authority; no client of ours sends one.
  if (hosts == 1 && !is_host_value(head.host)) return refuse(400, "the Host field is malformed");
  return std::nullopt;
}

std::optional<Refusal> read_target(RequestHead& head) {
  std::string_view target = head.target;
  if (target == "*") {
    if (head.method != "OPTIONS") return refuse(400, "only OPTIONS may ask for *");
    head.path = target;
    return std::nullopt;
  }
  const bool absolute =
      target.size() > 7 && (equals_ignoring_case(target.substr(0, 7), "http://") ||
                            equals_ignoring_case(target.substr(0, 8), "https://"));
  if (absolute) {
    // RFC 9112 3.2.2: the authority of an absolute target replaces the Host field.
    target.remove_prefix(target.find("//") + 2);
    const size_t authority_end = std::min(target.find_first_of("/?"), target.size());
    head.host = target.substr(0, authority_end);
    if (!is_host_value(head.host)) return refuse(400, "the target's authority is malformed");
    target.remove_prefix(authority_end);
    if (target.empty() || target.front() == '?') {
      head.path = "/";
      head.query = target.empty() ? target : target.substr(1);
      return std::nullopt;
    }
  }
  if (target.front() != '/') return refuse(400, "the request target must begin with a slash");
  if (target.find('#') != std::string_view::npos) return refuse(400, "a target has no fragment");
  const size_t question = target.find('?');
  head.path = target.substr(0, question);
  if (question != std::string_view::npos) head.query = target.substr(question + 1);
  return std::nullopt;
}

std::optional<Refusal> read_content_length(RequestHead& head) {
  const std::string_view value = head.find("Content-Length");
  if (value.empty() || value.find_first_not_of("0123456789") != std::string_view::npos) {
    return refuse(400, "Content-Length is not a number of bytes");
  }
  uint64_t length = 0;
  for (const char c : value) length = length * 10 + static_cast<uint64_t>(c - '0');
  head.content_length = length;
  head.body = length == 0 ? BodyKind::kNone : BodyKind::kLength;
  return std::nullopt;
}

/// RFC 9112 6.3 and 11.2: whatever leaves room for two opinions about where a body ends is refused.
std::optional<Refusal> read_body_framing(RequestHead& head) {
  const size_t lengths = head.count("Content-Length");
  const size_t encodings = head.count("Transfer-Encoding");
  if (lengths > 0 && encodings > 0) {
    return refuse(400, "Content-Length and Transfer-Encoding exclude each other");
  }
  if (lengths > 1) return refuse(400, "more than one Content-Length field");
  if (lengths == 1) return read_content_length(head);
  if (encodings == 0) return std::nullopt;
  if (head.minor_version == 0) return refuse(400, "HTTP/1.0 has no Transfer-Encoding");
  if (encodings > 1) return refuse(400, "more than one Transfer-Encoding field");
  const std::string_view value = head.find("Transfer-Encoding");
  if (!equals_ignoring_case(value, "chunked")) {
    const size_t comma = value.rfind(',');
    const bool ends_chunked = comma != std::string_view::npos &&
                              equals_ignoring_case(trim(value.substr(comma + 1)), "chunked") &&
                              !list_contains(value.substr(0, comma), "chunked");
    return ends_chunked ? refuse(501, "the only transfer coding understood is chunked")
                        : refuse(400, "Transfer-Encoding must be chunked");
  }
  head.body = BodyKind::kChunked;
  return std::nullopt;
}

std::optional<Refusal> read_connection_options(RequestHead& head) {
  bool close = false;
  bool keep_alive = false;
  bool upgrade = false;
  for (const auto& field : head.fields) {
    if (!equals_ignoring_case(field.name, "Connection")) continue;
    close = close || list_contains(field.value, "close");
    keep_alive = keep_alive || list_contains(field.value, "keep-alive");
    upgrade = upgrade || list_contains(field.value, "upgrade");
  }
  head.keep_alive = !close && (head.minor_version >= 1 || keep_alive);
  head.upgrade_websocket =
      upgrade && head.minor_version >= 1 && list_contains(head.find("Upgrade"), "websocket");
  const std::string_view expect = head.find("Expect");
  if (expect.data() == nullptr || head.minor_version == 0) return std::nullopt;
  if (!equals_ignoring_case(expect, "100-continue")) {
    return refuse(417, "the only expectation understood is 100-continue");
  }
  head.expect_continue = head.body != BodyKind::kNone;
  return std::nullopt;
}

}  // namespace

bool is_served_method(std::string_view method) {
  return std::find(kServedMethods.begin(), kServedMethods.end(), method) != kServedMethods.end();
}

HeadScan scan_head(std::string_view input, size_t from, const Limits& limits) {
  HeadScan scan;
  const auto refused = [&](Refusal refusal) {
    scan.state = HeadScan::State::kRefused;
    scan.refusal = std::move(refusal);
    return scan;
  };
  if (input.substr(0, 2) == "\r\n") scan.skip = 2;
  const std::string_view head = input.substr(scan.skip);
  if (!head.empty() && head.front() != '\r' && !method_is_possible(head)) {
    return refused(refuse(400, "this is no HTTP/1.1 request (is it TLS on a plain listener?)"));
  }
  size_t position = from > scan.skip + 3 ? from - scan.skip - 3 : 0;
  while (true) {
    position = head.find('\n', position);
    if (position == std::string_view::npos) break;
    if (position == 0 || head[position - 1] != '\r') {
      return refused(refuse(400, "a line of the head ends with LF alone"));
    }
    const bool empty_line = position == 1 || (position >= 3 && head[position - 2] == '\n' &&
                                              head[position - 3] == '\r');
    if (empty_line) {
      if (position == 1) return refused(refuse(400, "the head is empty"));
      scan.state = HeadScan::State::kComplete;
      scan.end = scan.skip + position + 1;
      break;
    }
    ++position;
  }
  const size_t used = scan.state == HeadScan::State::kComplete ? scan.end : input.size();
  if (used - scan.skip > limits.head_bytes) {
    const bool in_target = head.substr(0, limits.head_bytes).find('\n') == std::string_view::npos;
    return refused(in_target ? refuse(414, "the request line is too long")
                             : refuse(431, "the head is longer than " +
                                               std::to_string(limits.head_bytes) + " bytes"));
  }
  return scan;
}

std::variant<RequestHead, Refusal> parse_head(std::string_view text, const Limits& limits) {
  if (auto refusal = check_lines(text, limits)) return std::move(*refusal);
  RequestHead head;
  head.text = std::make_unique<char[]>(text.size());
  std::memcpy(head.text.get(), text.data(), text.size());
  if (auto error = read_with_beast({head.text.get(), text.size()}, head)) {
    return refuse(400, "malformed head: " + *error);
  }
  for (const auto read : {read_host, read_target, read_body_framing, read_connection_options}) {
    if (auto refusal = read(head)) return std::move(*refusal);
  }
  return head;
}

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  const auto hex = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
      continue;
    }
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex(text[i + 1]);
    const int low = hex(text[i + 2]);
    if (high < 0 || low < 0 || high + low == 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

}  // namespace gantry::transport
