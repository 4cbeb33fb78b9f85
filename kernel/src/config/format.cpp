// SPDX-License-Identifier: Apache-2.0
#include "config/format.hpp"

#include <arpa/inet.h>
#include <sys/un.h>
#include <unistd.h>

#include <gantry/pattern.hpp>

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>

namespace gantry::config {
namespace {

constexpr std::array<std::string_view, 5> kFormatNames{"regex", "address", "host", "path", "file"};
constexpr std::string_view kUnixPrefix = "unix:";
constexpr std::size_t kUnixPathBytes = sizeof(sockaddr_un::sun_path) - 1;

std::string found(const std::string& text, std::string_view allowed) {
  return "found '" + text + "', allowed: " + std::string(allowed);
}

bool is_numeric(std::string host) {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  in_addr four{};
  if (inet_aton(host.c_str(), &four) != 0) return true;
  in6_addr six{};
  return inet_pton(AF_INET6, host.substr(0, host.find('%')).c_str(), &six) == 1;
}

bool is_host(const std::string& text) { return text == "localhost" || is_numeric(text); }

std::string address_fault(const std::string& text) {
  if (text.starts_with(kUnixPrefix)) {
    const std::size_t bytes = text.size() - kUnixPrefix.size();
    if (bytes > 0 && bytes <= kUnixPathBytes) return {};
    return found(text, "unix:/PATH with 1 to " + std::to_string(kUnixPathBytes) + " bytes of path");
  }
  const std::size_t colon = text.rfind(':');
  unsigned port = 0;
  const char* const end = text.data() + text.size();
  const bool is_port = colon != std::string::npos &&
                       std::from_chars(text.data() + colon + 1, end, port).ptr == end &&
                       colon + 1 < text.size() && port <= 65535;
  if (is_port && is_host(text.substr(0, colon))) return {};
  return found(text, "127.0.0.1:PORT, [::1]:PORT or unix:/PATH");
}

std::string file_fault(const std::string& text) {
  std::error_code ignored;
  const auto status = std::filesystem::status(text, ignored);
  if (std::filesystem::is_directory(status)) return text + " is a directory, not a file";
  // Not opened to see: the open() of a FIFO waits for a writer, and reloads run on the loop.
  if (::access(text.c_str(), R_OK) != 0) {
    return text + " cannot be read: " + std::generic_category().message(errno);
  }
  if (!std::filesystem::is_regular_file(status)) return text + " is not a regular file";
  return {};
}

std::string regex_fault(const std::string& text) {
  const Result<Pattern> pattern = Pattern::compile(text);
  return pattern.ok() ? std::string{} : pattern.error().message;
}

}  // namespace

std::vector<std::string> format_names() { return {kFormatNames.begin(), kFormatNames.end()}; }

std::optional<Format> parse_format(std::string_view name) {
  for (std::size_t i = 0; i < kFormatNames.size(); ++i) {
    if (kFormatNames[i] == name) return static_cast<Format>(i);
  }
  return std::nullopt;
}

std::string format_fault(Format format, const std::string& text) {
  switch (format) {
    case Format::kRegex: return text.empty() ? std::string{} : regex_fault(text);
    case Format::kAddress: return text.empty() ? std::string{} : address_fault(text);
    case Format::kHost:
      return is_host(text) ? std::string{} : found(text, "a numeric address, or localhost");
    case Format::kPath:
      return text.starts_with('/') ? std::string{} : found(text, "a path that begins with a slash");
    case Format::kFile: return text.empty() ? std::string{} : file_fault(text);
  }
  return {};
}

}  // namespace gantry::config
