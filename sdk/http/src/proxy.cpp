// SPDX-License-Identifier: Apache-2.0
#include <gantry/http/client.hpp>

#include <cstdlib>

namespace gantry::http {
namespace {

std::string environment(const char* lower, const char* upper) {
  for (const char* name : {lower, upper}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

/// Whether a comma-separated list of names, suffixes (.example.org) and * has the host.
bool listed(std::string_view list, std::string_view host) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::string_view entry = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    while (!entry.empty() && entry.front() == ' ') entry.remove_prefix(1);
    while (!entry.empty() && entry.back() == ' ') entry.remove_suffix(1);
    if (entry.starts_with('.')) entry.remove_prefix(1);
    if (entry.empty()) continue;
    if (entry == "*" || entry == host) return true;
    if (host.size() > entry.size() && host.ends_with(entry) &&
        host[host.size() - entry.size() - 1] == '.') {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string proxy_for(std::string_view scheme, std::string_view host,
                      const std::string& configured) {
  if (host == "localhost" || host == "::1" || host.starts_with("127.")) return {};
  if (!configured.empty()) return configured;
  if (listed(environment("no_proxy", "NO_PROXY"), host)) return {};
  // HTTP_PROXY in capitals may come from a request's header (CVE-2016-5385), so it is not read.
  return scheme == "https" ? environment("https_proxy", "HTTPS_PROXY")
                           : environment("http_proxy", "http_proxy");
}

}  // namespace gantry::http
