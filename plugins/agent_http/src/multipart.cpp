// SPDX-License-Identifier: Apache-2.0
#include "multipart.hpp"

#include <algorithm>

#include "text.hpp"

namespace gantry::agent_http {
namespace {

constexpr std::size_t kMostParts = 100;
constexpr std::string_view kLine = "\r\n";

/// The value of a parameter of a header: form-data; name="file"; filename="a \"b\".png".
std::optional<std::string> parameter(std::string_view header, std::string_view wanted) {
  std::size_t at = header.find(';');
  while (at != std::string_view::npos && at < header.size()) {
    const std::size_t equals = header.find('=', ++at);
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string name = lower(trim(header.substr(at, equals - at)));
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
      value = trim(header.substr(at, end == std::string_view::npos ? end : end - at));
      at = end;
    }
    if (name == wanted) return value;
  }
  return std::nullopt;
}

bool read_headers(std::string_view head, Part& part) {
  bool disposition = false;
  while (!head.empty()) {
    const std::size_t end = std::min(head.find(kLine), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(head.size(), end + kLine.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return false;
    const std::string name = lower(trim(line.substr(0, colon)));
    const std::string_view value = trim(line.substr(colon + 1));
    if (name == "content-type") part.content_type = std::string(value);
    if (name != "content-disposition") continue;
    const auto field = parameter(value, "name");
    if (!field) return false;
    part.name = *field;
    part.filename = parameter(value, "filename");
    disposition = true;
  }
  return disposition;
}

}  // namespace

std::optional<std::string> multipart_boundary(std::string_view content_type) {
  const std::string kind = lower(trim(content_type.substr(0, content_type.find(';'))));
  if (kind != "multipart/form-data") return std::nullopt;
  return parameter(content_type, "boundary").value_or("");
}

std::optional<std::vector<Part>> multipart_parts(std::string_view body, std::string_view boundary) {
  const std::string first = "--" + std::string(boundary);
  const std::string next = std::string(kLine) + first;
  std::vector<Part> parts;
  // What stands before the first boundary is for nobody.
  std::size_t at = body.starts_with(first) ? first.size() : body.find(next);
  if (at == std::string_view::npos) return std::nullopt;
  if (!body.starts_with(first)) at += next.size();
  while (true) {
    if (body.substr(at).starts_with("--")) return parts;
    at = body.find_first_not_of(" \t", at);
    if (at == std::string_view::npos || !body.substr(at).starts_with(kLine)) return std::nullopt;
    at += kLine.size();
    const std::size_t blank = body.find("\r\n\r\n", at);
    const std::size_t end = body.find(next, at > kLine.size() ? at - kLine.size() : at);
    if (blank == std::string_view::npos || end == std::string_view::npos || end < blank + 2 ||
        parts.size() == kMostParts) {
      return std::nullopt;
    }
    Part part;
    if (!read_headers(body.substr(at, blank - at), part)) return std::nullopt;
    const std::size_t begin = blank + 2 * kLine.size();
    part.content = begin <= end ? body.substr(begin, end - begin) : std::string_view{};
    parts.push_back(std::move(part));
    at = end + next.size();
  }
}

}  // namespace gantry::agent_http
