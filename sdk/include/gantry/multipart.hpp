// SPDX-License-Identifier: Apache-2.0
//
// multipart/form-data (RFC 7578), as uploads send it. Pure; any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry {

struct MultipartPart {
  std::string name;
  std::optional<std::string> filename;  // there is one when the part is a file
  std::optional<std::string> content_type;
  std::string_view content;  // of the body
};

namespace detail {

inline constexpr std::size_t kMostParts = 100;
inline constexpr std::string_view kLine = "\r\n";

inline std::string_view multipart_trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

inline std::string multipart_lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

/// The value of a parameter of a header: form-data; name="file"; filename="a \"b\".png".
inline std::optional<std::string> multipart_parameter(std::string_view header,
                                                      std::string_view wanted) {
  std::size_t at = header.find(';');
  while (at != std::string_view::npos && at < header.size()) {
    const std::size_t equals = header.find('=', ++at);
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string name = multipart_lower(multipart_trim(header.substr(at, equals - at)));
    std::string value;
    at = equals + 1;
    if (at < header.size() && header[at] == '"') {
      for (++at; at < header.size() && header[at] != '"'; ++at) {
        // Browsers escape quotes as %22; only a backslash before a quote is an escape.
        if (header[at] == '\\' && at + 1 < header.size() && header[at + 1] == '"') ++at;
        value += header[at];
      }
      at = header.find(';', at);
    } else {
      const std::size_t end = header.find(';', at);
      value = multipart_trim(header.substr(at, end == std::string_view::npos ? end : end - at));
      at = end;
    }
    if (name == wanted) return value;
  }
  return std::nullopt;
}

inline bool multipart_headers(std::string_view head, MultipartPart& part) {
  bool disposition = false;
  while (!head.empty()) {
    const std::size_t end = std::min(head.find(kLine), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(head.size(), end + kLine.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return false;
    const std::string name = multipart_lower(multipart_trim(line.substr(0, colon)));
    const std::string_view value = multipart_trim(line.substr(colon + 1));
    if (name == "content-type") part.content_type = std::string(value);
    if (name != "content-disposition") continue;
    const auto field = multipart_parameter(value, "name");
    if (!field) return false;
    part.name = *field;
    part.filename = multipart_parameter(value, "filename");
    disposition = true;
  }
  return disposition;
}

}  // namespace detail

/// The boundary of a content type; nullopt: it is not multipart/form-data; empty: it has none.
inline std::optional<std::string> multipart_boundary(std::string_view content_type) {
  const std::string kind = detail::multipart_lower(
      detail::multipart_trim(content_type.substr(0, content_type.find(';'))));
  if (kind != "multipart/form-data") return std::nullopt;
  return detail::multipart_parameter(content_type, "boundary").value_or("");
}

/// The parts of a body that lives longer than they do; nullopt: it is broken, or has more than 100.
inline std::optional<std::vector<MultipartPart>> multipart_parts(std::string_view body,
                                                                 std::string_view boundary) {
  const std::string first = "--" + std::string(boundary);
  const std::string next = std::string(detail::kLine) + first;
  std::vector<MultipartPart> parts;
  // What stands before the first boundary is for nobody.
  std::size_t at = body.starts_with(first) ? first.size() : body.find(next);
  if (at == std::string_view::npos) return std::nullopt;
  if (!body.starts_with(first)) at += next.size();
  while (true) {
    if (body.substr(at).starts_with("--")) return parts;
    at = body.find_first_not_of(" \t", at);
    if (at == std::string_view::npos || !body.substr(at).starts_with(detail::kLine))
      return std::nullopt;
    at += detail::kLine.size();
    const std::size_t blank = body.find("\r\n\r\n", at);
    const std::size_t end =
        body.find(next, at > detail::kLine.size() ? at - detail::kLine.size() : at);
    if (blank == std::string_view::npos || end == std::string_view::npos || end < blank + 2 ||
        parts.size() == detail::kMostParts) {
      return std::nullopt;
    }
    MultipartPart part;
    if (!detail::multipart_headers(body.substr(at, blank - at), part)) return std::nullopt;
    const std::size_t begin = blank + 2 * detail::kLine.size();
    part.content = begin <= end ? body.substr(begin, end - begin) : std::string_view{};
    parts.push_back(std::move(part));
    at = end + next.size();
  }
}

}  // namespace gantry
