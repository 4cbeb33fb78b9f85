// SPDX-License-Identifier: Apache-2.0
#include "media_type.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace gantry::artifacts {
namespace {

constexpr std::array<MediaType, 4> kTypes = {{
    {"image/png", ".png"},
    {"image/jpeg", ".jpg"},
    {"image/webp", ".webp"},
    {"application/pdf", ".pdf"},
}};

constexpr std::size_t kLongestStem = 128;

/// PDF readers accept junk in front of the header; the specification's appendix says how much.
constexpr std::size_t kPdfHeaderWithin = 1024;

bool has_at(std::string_view bytes, std::size_t at, std::string_view signature) {
  return bytes.size() >= at + signature.size() && bytes.substr(at, signature.size()) == signature;
}

std::string lower_trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  const std::size_t end = text.find_last_not_of(" \t");
  std::string out(text.substr(begin, end - begin + 1));
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

}  // namespace

std::span<const MediaType> media_types() { return kTypes; }

const MediaType* sniff(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (has_at(bytes, 0, "\x89PNG\r\n\x1a\n"sv)) return &kTypes[0];
  if (has_at(bytes, 0, "\xff\xd8\xff"sv)) return &kTypes[1];
  if (has_at(bytes, 0, "RIFF"sv) && has_at(bytes, 8, "WEBP"sv)) return &kTypes[2];
  if (bytes.substr(0, kPdfHeaderWithin).find("%PDF-"sv) != std::string_view::npos) {
    return &kTypes[3];
  }
  return nullptr;
}

const MediaType* declared(std::string_view content_type) {
  const std::string wanted = lower_trimmed(content_type.substr(0, content_type.find(';')));
  for (const MediaType& type : kTypes) {
    if (type.content_type == wanted) return &type;
  }
  return nullptr;
}

bool is_artifact_id(std::string_view id) {
  const std::size_t dot = id.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot > kLongestStem) return false;
  const std::string_view stem = id.substr(0, dot);
  const std::string_view extension = id.substr(dot);
  const bool known = extension == ".jpeg" ||
                     std::any_of(kTypes.begin(), kTypes.end(), [extension](const MediaType& type) {
                       return type.extension == extension;
                     });
  return known && std::all_of(stem.begin(), stem.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_';
         });
}

}  // namespace gantry::artifacts
