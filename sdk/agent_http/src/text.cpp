// SPDX-License-Identifier: Apache-2.0
#include <gantry/agent_http/text.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ctime>

namespace gantry::agent_http {
namespace {

constexpr std::int64_t kMsInSecond = 1000;

}  // namespace

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string_view header_of(const HttpRequest& request, std::string_view name) {
  const auto found = std::find_if(request.headers.begin(), request.headers.end(),
                                  [name](const HttpHeader& header) { return header.name == name; });
  return found == request.headers.end() ? std::string_view{} : std::string_view(found->value);
}

std::optional<std::string> parameter_of(const HttpRequest& request, std::string_view name) {
  std::optional<std::string> given;
  for (const HttpParameter& parameter : request.query) {
    if (parameter.name == name) given = parameter.value;
  }
  return given;
}

std::string bearer_of(const HttpRequest& request) {
  const std::string_view value = header_of(request, "authorization");
  const std::size_t space = value.find(' ');
  if (space == std::string_view::npos || lower(value.substr(0, space)) != "bearer") return {};
  return std::string(trim(value.substr(space + 1)));
}

std::string http_date(std::int64_t at_ms) {
  return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT",
                     fmt::gmtime(static_cast<std::time_t>(at_ms / kMsInSecond)));
}

std::string iso_time(std::int64_t at_ms) {
  const auto seconds = static_cast<std::time_t>(at_ms / kMsInSecond);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(seconds), at_ms % kMsInSecond);
}

}  // namespace gantry::agent_http
