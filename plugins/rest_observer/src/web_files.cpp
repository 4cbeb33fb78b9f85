// SPDX-License-Identifier: Apache-2.0
#include "web_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "cors.hpp"
#include "wire.hpp"

namespace gantry::rest_observer {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTypes{
    {{".html", "text/html; charset=utf-8"},
     {".css", "text/css; charset=utf-8"},
     {".js", "text/javascript; charset=utf-8"},
     {".svg", "image/svg+xml"}}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kHeaders{
    {{"Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
      "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
      "require-trusted-types-for 'script'; trusted-types 'none'"},
     {"X-Content-Type-Options", "nosniff"},
     {"X-Frame-Options", "DENY"},
     {"Referrer-Policy", "no-referrer"},
     {"Cross-Origin-Resource-Policy", "same-origin"},
     {"Cache-Control", "no-cache"}}};

std::string_view type_of(const fs::path& file) {
  const std::string extension = file.extension().string();
  const auto* const row = std::find_if(kTypes.begin(), kTypes.end(),
                                       [&](const auto& type) { return type.first == extension; });
  return row != kTypes.end() ? row->second : std::string_view();
}

/// FNV-1a: tells two builds of a file apart, which is all that a cache needs.
std::string etag_of(std::string_view content) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : content) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return fmt::format("\"{:016x}\"", hash);
}

bool others_may_write(const fs::path& file) {
  std::error_code error;
  const fs::perms perms = fs::status(file, error).permissions();
  return error || (perms & (fs::perms::group_write | fs::perms::others_write)) != fs::perms::none;
}

}  // namespace

void add_page_headers(HttpResponse& response) {
  for (const auto& [name, value] : kHeaders) {
    response.headers.push_back({std::string(name), std::string(value)});
  }
}

Result<WebFiles> WebFiles::read(const fs::path& folder) {
  WebFiles out;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string_view type = type_of(entry.path());
    if (type.empty()) continue;
    if (others_may_write(entry.path())) {
      return Error{Code::PermissionDenied,
                   fmt::format("{} can be written by others", entry.path().string()),
                   {}};
    }
    std::ifstream file(entry.path(), std::ios::binary);
    std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::string etag = etag_of(content);
    out.files_.emplace(entry.path().filename().string(),
                       File{type, std::move(etag), Buffer::of(std::move(content))});
  }
  if (error || !out.has(kIndexFile)) {
    return Error{
        Code::NotFound, fmt::format("there is no {} in {}", kIndexFile, folder.string()), {}};
  }
  return out;
}

HttpResponse WebFiles::answer(const HttpRequest& request, std::string_view name) const {
  const File& file = files_.find(name)->second;
  HttpResponse response;
  response.content_type = file.content_type;
  add_page_headers(response);
  response.headers.push_back({"ETag", file.etag});
  if (header_of(request, "if-none-match").find(file.etag) != std::string_view::npos) {
    response.status = kNotModified;
    return response;
  }
  response.body = file.body;
  return response;
}

}  // namespace gantry::rest_observer
