// SPDX-License-Identifier: Apache-2.0
#include "media_types.hpp"

namespace gantry::chat_cortask {
namespace {

struct EndingRow {
  std::string_view ending;
  const char* type;
};
constexpr EndingRow kEndings[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".json", "application/json; charset=utf-8"},
    {".txt", "text/plain; charset=utf-8"},
    {".log", "text/plain; charset=utf-8"},
    {".md", "text/markdown; charset=utf-8"},
    {".csv", "text/csv; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".jpg", "image/jpeg"},
    {".jpeg", "image/jpeg"},
    {".gif", "image/gif"},
    {".webp", "image/webp"},
    {".ico", "image/x-icon"},
    {".woff2", "font/woff2"},
    {".pdf", "application/pdf"},
    {".wasm", "application/wasm"},
};

}  // namespace

const char* media_type_of(std::string_view path) {
  for (const EndingRow& row : kEndings) {
    if (path.ends_with(row.ending)) return row.type;
  }
  return "application/octet-stream";
}

}  // namespace gantry::chat_cortask
