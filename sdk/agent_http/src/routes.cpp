// SPDX-License-Identifier: Apache-2.0
#include <gantry/agent_http/routes.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace gantry::agent_http {
namespace {

using Parameters = std::map<std::string, std::string, std::less<>>;

/// The first segment of a path without its slash; both lose it.
std::string_view pop_segment(std::string_view& path) {
  const std::size_t slash = path.find('/', 1);
  const std::string_view segment = path.substr(1, slash == path.npos ? path.npos : slash - 1);
  path.remove_prefix(std::min(path.size(), slash));
  return segment;
}

bool matches(std::string_view pattern, std::string_view path, Parameters& parameters) {
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = pop_segment(pattern);
    const std::string_view given = pop_segment(path);
    if (!wanted.starts_with('{')) {
      if (wanted != given) return false;
    } else if (given.empty()) {
      return false;
    } else {
      parameters[std::string(wanted.substr(1, wanted.size() - 2))] = given;
    }
  }
  return pattern.empty() && path.empty();
}

bool exists(std::span<const Route> routes, std::string_view path) {
  return std::any_of(routes.begin(), routes.end(), [path](const Route& route) {
    Parameters unused;
    return matches(route.path, path, unused);
  });
}

}  // namespace

Found find_route(std::span<const Route> routes, std::string_view method, std::string_view path) {
  Found found;
  std::set<std::string_view> others;
  for (const Route& route : routes) {
    Parameters parameters;
    if (!matches(route.path, path, parameters)) continue;
    if (route.method == method) {
      found.route = &route;
      found.parameters = std::move(parameters);
      return found;
    }
    others.insert(route.method);
  }
  for (const std::string_view other : others) {
    found.allow += (found.allow.empty() ? "" : ", ") + std::string(other);
  }
  if (!others.empty() || path.size() < 2) return found;
  const std::string turned(path.ends_with('/') ? path.substr(0, path.size() - 1)
                                               : std::string(path) + "/");
  if (exists(routes, turned)) found.redirect_to = turned;
  return found;
}

}  // namespace gantry::agent_http
