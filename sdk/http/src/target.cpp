// SPDX-License-Identifier: Apache-2.0
#include "target.hpp"

#include <Poco/Exception.h>
#include <Poco/URI.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace gantry::http {
namespace {

constexpr std::uint16_t kHttp = 80;
constexpr std::uint16_t kHttps = 443;

std::uint16_t usual_port(std::string_view scheme) { return scheme == "https" ? kHttps : kHttp; }

bool all_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

/// Path and query as they are written, when they may be sent so: an escaped slash is not a slash.
std::string written_target(const std::string& url) {
  std::size_t begin = url.find("://");
  if (begin == std::string::npos) return {};
  begin = url.find_first_of("/?#", begin + 3);
  if (begin == std::string::npos || url[begin] == '#') return "/";
  std::string target = url.substr(begin, url.find('#', begin) - begin);
  if (!all_plain(target)) return {};
  return target.front() == '?' ? '/' + target : target;
}

bool host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
}

/// An address as nearly all are written, in which there is nothing to decode; none for any other.
std::optional<Target> read_plain(std::string_view url) {
  Target target;
  for (const std::string_view scheme : {"http", "https"}) {
    if (url.starts_with(scheme) && url.substr(scheme.size()).starts_with("://")) {
      target.scheme = scheme;
    }
  }
  if (target.scheme.empty()) return std::nullopt;
  url.remove_prefix(target.scheme.size() + 3);
  const std::size_t slash = url.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  target.path = url.substr(slash);
  if (!all_plain(target.path) || target.path.find_first_of("#%") != std::string::npos) {
    return std::nullopt;
  }
  const std::string_view server = url.substr(0, slash);
  const std::size_t colon = server.find(':');
  target.host = server.substr(0, colon);
  if (target.host.empty() || !std::all_of(target.host.begin(), target.host.end(), host_character)) {
    return std::nullopt;
  }
  target.port = usual_port(target.scheme);
  if (colon != std::string_view::npos) {
    const std::string_view port = server.substr(colon + 1);
    const auto read = std::from_chars(port.data(), port.data() + port.size(), target.port);
    if (read.ec != std::errc() || read.ptr != port.data() + port.size() || target.port == 0) {
      return std::nullopt;
    }
  }
  return target;
}

}  // namespace

Result<Target> read_url(const std::string& url) {
  if (auto plain = read_plain(url)) return *std::move(plain);
  try {
    const Poco::URI uri(url);
    Target target{uri.getScheme(), uri.getHost(), uri.getPort(), written_target(url)};
    if (target.path.empty()) target.path = uri.getPathAndQuery();
    if ((target.scheme == "http" || target.scheme == "https") && !target.host.empty()) {
      if (target.path.empty()) target.path = "/";
      return target;
    }
  } catch (const Poco::Exception&) {
    // told below
  }
  return invalid_argument("'" + url + "' is no http:// or https:// address");
}

std::string authority(const Target& target) {
  std::string host = target.host;
  if (host.find(':') != std::string::npos && !host.starts_with('[')) host = '[' + host + ']';
  return target.port == usual_port(target.scheme) ? host : host + ':' + std::to_string(target.port);
}

}  // namespace gantry::http
