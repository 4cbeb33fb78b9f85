// SPDX-License-Identifier: Apache-2.0
#include "response_head.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "policy.hpp"

namespace gantry::transport {
namespace {

constexpr std::array<std::string_view, 5> kOwnFields = {"Content-Length", "Transfer-Encoding",
                                                        "Connection", "Date", "Keep-Alive"};
constexpr int kGzipWindow = 15 + 16;  // zlib: the 16 asks for gzip's header and trailer
constexpr int kGzipLevel = 1;

bool may_be_sent(const std::pair<std::string, std::string>& field) {
  const auto& [name, value] = field;
  if (!is_token(name)) return false;
  if (value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) return false;
  return std::none_of(kOwnFields.begin(), kOwnFields.end(), [&name = name](std::string_view own) {
    return equals_ignoring_case(own, name);
  });
}

void add_field(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  out += value;
  out += "\r\n";
}

/// The q-value of one member's parameters; 1 without one.
double quality(std::string_view parameters) {
  const size_t q = parameters.find("q=");
  if (q == std::string_view::npos) return 1.0;
  const std::string_view value = trim(parameters.substr(q + 2));
  const bool zero = !value.empty() && value.find_first_not_of("0.") == std::string_view::npos;
  return zero ? 0.0 : 1.0;
}

std::string gzip(std::string_view text) {
  z_stream stream{};
  if (deflateInit2(&stream, kGzipLevel, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return {};
  }
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(done ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

bool has_field(const OwnedHeaders& headers, std::string_view name) {
  return std::any_of(headers.begin(), headers.end(),
                     [name](const auto& field) { return equals_ignoring_case(field.first, name); });
}

}  // namespace

std::string serialize_head(const ResponseHead& head, const HeadFraming& framing,
                           std::string_view date) {
  std::string out;
  out.reserve(256);
  out += "HTTP/1.1 ";
  out += std::to_string(head.status);
  out += ' ';
  out += reason_phrase(head.status);
  out += "\r\n";
  if (!date.empty()) add_field(out, "Date", date);
  if (!head.content_type.empty()) add_field(out, "Content-Type", head.content_type);
  for (const auto& field : head.headers) {
    if (may_be_sent(field)) add_field(out, field.first, field.second);
  }
  if (framing.framing == Framing::kLength) {
    add_field(out, "Content-Length", std::to_string(framing.length));
  } else if (framing.framing == Framing::kChunked) {
    add_field(out, "Transfer-Encoding", "chunked");
  }
  if (head.status != 101) {
    if (!framing.keep_alive) {
      add_field(out, "Connection", "close");
    } else if (framing.minor_version == 0) {
      add_field(out, "Connection", "keep-alive");
    }
  }
  out += framing.extra;
  out += "\r\n";
  return out;
}

bool accepts_gzip(std::string_view list) {
  bool star = false;
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const std::string_view member = trim(list.substr(0, comma));
    const size_t semicolon = std::min(member.find(';'), member.size());
    const std::string_view coding = trim(member.substr(0, semicolon));
    const bool wanted = quality(member.substr(semicolon)) > 0;
    if (equals_ignoring_case(coding, "gzip") || equals_ignoring_case(coding, "x-gzip")) {
      return wanted;
    }
    if (coding == "*") star = wanted;
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return star;
}

void gzip_if_wanted(const RequestHead& request, Response& response, size_t min_bytes) {
  if (response.body.size() < min_bytes || !is_json_media_type(response.head.content_type)) return;
  if (status_forbids_body(response.head.status)) return;
  if (has_field(response.head.headers, "Content-Encoding")) return;
  response.head.headers.emplace_back("Vary", "Accept-Encoding");
  if (!accepts_gzip(request.find("Accept-Encoding"))) return;
  std::string packed = gzip(response.body.view());
  if (packed.empty() || packed.size() >= response.body.size()) return;
  response.body = Bytes(std::move(packed));
  response.head.headers.emplace_back("Content-Encoding", "gzip");
}

std::string error_body(std::string_view pattern, int status, std::string_view message) {
  if (pattern.empty()) return "{\"error\":" + json_quote(message) + "}";
  std::string out;
  while (!pattern.empty()) {
    if (pattern.substr(0, 8) == "{status}") {
      out += std::to_string(status);
      pattern.remove_prefix(8);
    } else if (pattern.substr(0, 9) == "{message}") {
      out += json_quote(message);
      pattern.remove_prefix(9);
    } else if (pattern.substr(0, 8) == "{reason}") {
      out += json_quote(reason_phrase(status));
      pattern.remove_prefix(8);
    } else {
      out += pattern.front();
      pattern.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace gantry::transport
