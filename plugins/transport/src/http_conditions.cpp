// SPDX-License-Identifier: Apache-2.0
#include "http_conditions.hpp"

#include <Poco/DateTimeFormat.h>
#include <Poco/DateTimeFormatter.h>
#include <Poco/Timestamp.h>

#include <algorithm>
#include <charconv>
#include <ctime>

namespace gantry::transport {
namespace {

enum class Compare : uint8_t { kStrong, kWeak };

/// Whether a list of tags names `etag`, or is "*" (RFC 9110 8.8.3.2, 13.1.1).
bool names_tag(std::string_view list, std::string_view etag, Compare compare) {
  list = trim(list);
  if (list == "*") return true;
  while (!list.empty()) {
    const bool weak = list.substr(0, 2) == "W/";
    if (weak) list.remove_prefix(2);
    if (list.empty() || list.front() != '"') return false;
    const size_t end = list.find('"', 1);
    if (end == std::string_view::npos) return false;
    const std::string_view tag = list.substr(0, end + 1);
    if (tag == etag && (!weak || compare == Compare::kWeak)) return true;
    list = trim(list.substr(end + 1));
    if (!list.empty() && list.front() != ',') return false;
    if (!list.empty()) list = trim(list.substr(1));
  }
  return false;
}

/// The order of RFC 9110 13.2.2; 200 when nothing speaks against the request.
int check_preconditions(const RequestHead& request, const Representation& there) {
  const std::string_view match = request.find("If-Match");
  if (match.data() != nullptr) {
    if (!names_tag(match, there.etag, Compare::kStrong)) return 412;
  } else if (const auto since = parse_http_date(request.find("If-Unmodified-Since"))) {
    if (there.modified_s > *since) return 412;
  }
  const std::string_view none_match = request.find("If-None-Match");
  if (none_match.data() != nullptr) {
    if (names_tag(none_match, there.etag, Compare::kWeak)) return 304;
  } else if (const auto since = parse_http_date(request.find("If-Modified-Since"))) {
    if (there.modified_s <= *since) return 304;
  }
  return 200;
}

/// If-Range: the range only holds for this very representation (RFC 9110 13.1.5).
bool range_holds(const RequestHead& request, const Representation& there) {
  const std::string_view condition = trim(request.find("If-Range"));
  if (condition.empty()) return true;
  if (condition.front() == '"') return condition == there.etag;
  const auto date = parse_http_date(condition);
  return date && *date == there.modified_s;
}

/// False: no decimal number, or one that no file has.
bool read_number(std::string_view text, uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

/// nullopt: not a single range of bytes, so that the whole is sent.
std::optional<Selection> read_range(std::string_view field, uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  field = trim(field);
  if (!equals_ignoring_case(field.substr(0, kUnit.size()), kUnit)) return std::nullopt;
  field = trim(field.substr(kUnit.size()));
  const size_t dash = field.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view from = field.substr(0, dash);
  const std::string_view to = field.substr(dash + 1);
  Selection part{206, 0, 0};
  uint64_t last = 0;
  if (from.empty()) {  // the last so many bytes
    uint64_t wanted = 0;
    if (!read_number(to, wanted)) return std::nullopt;
    if (wanted == 0 || size == 0) return Selection{416, 0, 0};
    part.length = std::min(wanted, size);
    part.first = size - part.length;
    return part;
  }
  if (!read_number(from, part.first)) return std::nullopt;
  if (!to.empty() && (!read_number(to, last) || last < part.first)) return std::nullopt;
  if (part.first >= size) return Selection{416, 0, 0};
  part.length = (to.empty() ? size : std::min(last + 1, size)) - part.first;
  return part;
}

}  // namespace

Selection select_part(const RequestHead& request, const Representation& there) {
  const int status = check_preconditions(request, there);
  if (status != 200) return {status, 0, 0};
  // Range is defined for GET only (RFC 9110 14.2).
  if (request.method == "GET" && request.count("Range") == 1 && range_holds(request, there)) {
    if (const auto part = read_range(request.find("Range"), there.size)) return *part;
  }
  return {200, 0, there.size};
}

std::string http_date_of(int64_t unix_s) {
  const auto time = Poco::Timestamp::fromEpochTime(static_cast<std::time_t>(unix_s));
  return Poco::DateTimeFormatter::format(time, Poco::DateTimeFormat::HTTP_FORMAT);
}

std::optional<int64_t> parse_http_date(std::string_view text) {
  const std::string date(trim(text));
  // The daemon's locale is C, as every plugin leaves it.
  for (const char* format :
       {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y"}) {
    std::tm parts{};
    const char* end = ::strptime(date.c_str(), format, &parts);
    if (end != nullptr && *end == '\0') return ::timegm(&parts);
  }
  return std::nullopt;
}

}  // namespace gantry::transport
