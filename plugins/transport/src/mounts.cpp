// SPDX-License-Identifier: Apache-2.0
#include "mounts.hpp"

#include <algorithm>

#include "head_parser.hpp"
#include "policy.hpp"

namespace gantry::transport {
namespace {

enum class SegmentKind : uint8_t { kLiteral = 0, kParameter = 1, kRest = 2 };

struct Segment {
  SegmentKind kind = SegmentKind::kLiteral;
  std::string text;  ///< literal, or the parameter's name
};

std::vector<std::string_view> split_path(std::string_view path) {
  std::vector<std::string_view> parts;
  path.remove_prefix(1);
  while (true) {
    const size_t slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

std::variant<std::vector<Segment>, std::string> parse_pattern(std::string_view path) {
  if (path.empty() || path.front() != '/') return std::string("must begin with a slash");
  std::vector<Segment> segments;
  const auto parts = split_path(path);
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    if (part == "*") {
      if (i + 1 != parts.size()) return std::string("may have * only at its end");
      segments.push_back({SegmentKind::kRest, "*"});
    } else if (part.size() > 2 && part.front() == '{' && part.back() == '}') {
      segments.push_back({SegmentKind::kParameter, std::string(part.substr(1, part.size() - 2))});
    } else if (part.find_first_of("{}*?#% ") != std::string_view::npos) {
      return "has the segment '" + std::string(part) + "'; write literal, {name} or a final *";
    } else {
      segments.push_back({SegmentKind::kLiteral, std::string(part)});
    }
  }
  return segments;
}

std::string name_of(const Mount& mount) {
  std::string name = "plugin '" + mount.owner + "': ";
  name += mount.kind == MountKind::kWebSocket ? "WebSocket " : "";
  for (size_t i = 0; i < mount.methods.size() && mount.kind != MountKind::kWebSocket; ++i) {
    name += (i == 0 ? "" : "|") + mount.methods[i];
  }
  if (!mount.methods.empty() && mount.kind != MountKind::kWebSocket) name += ' ';
  name += mount.host + mount.path + " on listener '" + mount.listener + "'";
  return name;
}

bool methods_meet(const Mount& a, const Mount& b) {
  if (a.kind == MountKind::kWebSocket) return true;
  if (a.methods.empty() || b.methods.empty()) return true;
  return std::any_of(a.methods.begin(), a.methods.end(), [&](const std::string& method) {
    return std::find(b.methods.begin(), b.methods.end(), method) != b.methods.end();
  });
}

bool same_shape(const std::vector<Segment>& a, const std::vector<Segment>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Segment& x, const Segment& y) {
    return x.kind == y.kind && (x.kind != SegmentKind::kLiteral || x.text == y.text);
  });
}

bool more_specific(const std::vector<Segment>& a, const std::vector<Segment>& b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].kind != b[i].kind) return a[i].kind < b[i].kind;
  }
  return a.size() > b.size();
}

}  // namespace

struct MountTable::Entry {
  MountPtr mount;
  std::string host;
  std::vector<Segment> segments;

  /// `parts` are decoded segments of a request's path.
  bool matches(const std::vector<std::string>& parts,
               std::vector<std::pair<std::string, std::string>>& params) const {
    if (!fits(parts)) return false;
    params.clear();
    for (size_t i = 0; i < segments.size(); ++i) {
      if (segments[i].kind == SegmentKind::kParameter) {
        params.emplace_back(segments[i].text, parts[i]);
      } else if (segments[i].kind == SegmentKind::kRest) {
        std::string rest;
        for (size_t j = i; j < parts.size(); ++j) rest += (j == i ? "" : "/") + parts[j];
        params.emplace_back("*", std::move(rest));
      }
    }
    return true;
  }

  /// Looks at the last segments first: the first ones are the same for most of what is mounted.
  bool fits(const std::vector<std::string>& parts) const {
    const bool open = segments.back().kind == SegmentKind::kRest;
    if (open ? parts.size() < segments.size() : parts.size() != segments.size()) return false;
    for (size_t i = segments.size() - (open ? 1 : 0); i-- > 0;) {
      const Segment& segment = segments[i];
      const bool same =
          segment.kind == SegmentKind::kLiteral ? segment.text == parts[i] : !parts[i].empty();
      if (!same) return false;
    }
    return true;
  }

  bool as_specific_as(const Entry& other) const {
    return host == other.host && same_shape(segments, other.segments);
  }

  bool serves(std::string_view method) const {
    const auto& methods = mount->methods;
    return methods.empty() || std::find(methods.begin(), methods.end(), method) != methods.end();
  }
};

std::optional<std::string> check_mount(const Mount& mount) {
  if (const auto pattern = parse_pattern(mount.path);
      const auto* error = std::get_if<std::string>(&pattern)) {
    return "the path '" + mount.path + "' of " + name_of(mount) + " " + *error;
  }
  for (const auto& method : mount.methods) {
    if (!is_served_method(method)) {
      return "unknown method '" + method + "' in the mount of " + name_of(mount);
    }
  }
  return std::nullopt;
}

std::optional<std::string> find_overlap(const Mount& a, const Mount& b) {
  const bool sockets = a.kind == MountKind::kWebSocket;
  if (a.listener != b.listener || sockets != (b.kind == MountKind::kWebSocket)) return std::nullopt;
  if (host_name_of(a.host) != host_name_of(b.host) || !methods_meet(a, b)) return std::nullopt;
  const auto left = parse_pattern(a.path);
  const auto right = parse_pattern(b.path);
  const auto* x = std::get_if<std::vector<Segment>>(&left);
  const auto* y = std::get_if<std::vector<Segment>>(&right);
  if (x == nullptr || y == nullptr || !same_shape(*x, *y)) return std::nullopt;
  return name_of(a) + " overlaps " + name_of(b) +
         "; give one of them a path prefix, a host name or another listener";
}

std::variant<std::shared_ptr<const MountTable>, MountFailure> MountTable::with(
    const std::shared_ptr<const MountTable>& table, MountPtr mount) {
  if (auto error = check_mount(*mount)) {
    return MountFailure{MountFailure::Kind::kMalformed, std::move(*error)};
  }
  auto grown = std::make_shared<MountTable>(table ? *table : MountTable{});
  for (const auto& other : grown->mounts_) {
    if (auto overlap = find_overlap(*mount, *other)) {
      return MountFailure{MountFailure::Kind::kOverlap, std::move(*overlap)};
    }
  }
  auto entry = std::make_shared<Entry>();
  entry->mount = mount;
  entry->host = host_name_of(mount->host);
  entry->segments = std::get<std::vector<Segment>>(parse_pattern(mount->path));
  const auto before = [&](const std::shared_ptr<const Entry>& other) {
    if (entry->host.empty() != other->host.empty()) return !entry->host.empty();
    return more_specific(entry->segments, other->segments);
  };
  auto& entries = grown->entries_[mount->listener];
  const auto place = std::find_if(entries.begin(), entries.end(), before);
  entries.insert(place, std::move(entry));
  grown->mounts_.push_back(std::move(mount));
  return std::shared_ptr<const MountTable>(std::move(grown));
}

std::shared_ptr<const MountTable> MountTable::without(
    const std::shared_ptr<const MountTable>& table, const Mount* mount) {
  auto shrunk = std::make_shared<MountTable>(table ? *table : MountTable{});
  std::erase_if(shrunk->mounts_, [&](const auto& m) { return m.get() == mount; });
  if (const auto entries = shrunk->entries_.find(mount->listener);
      entries != shrunk->entries_.end()) {
    std::erase_if(entries->second, [&](const auto& e) { return e->mount.get() == mount; });
    if (entries->second.empty()) shrunk->entries_.erase(entries);
  }
  return shrunk;
}

std::variant<Route, NoRoute> MountTable::find(std::string_view listener, const RequestHead& head,
                                              bool websocket) const {
  if (head.path.empty() || head.path.front() != '/') return NoRoute{404, "no such path", {}};
  std::vector<std::string> parts;
  for (const std::string_view part : split_path(head.path)) {
    auto decoded = percent_decode(part);
    if (!decoded) return NoRoute{400, "the path has a malformed percent escape", {}};
    if (*decoded == "." || *decoded == "..") return NoRoute{400, "the path has dot segments", {}};
    parts.push_back(std::move(*decoded));
  }
  const auto entries = entries_.find(listener);
  if (entries == entries_.end()) {
    return NoRoute{503, "nothing is mounted on this listener yet", {}};
  }
  const std::string host = host_name_of(head.host);
  Route route;
  const Entry* get_entry = nullptr;  // for HEAD: the first one that GET would reach
  Route get_route;
  std::vector<std::string> allowed;
  bool socket_here = false;
  for (const auto& entry : entries->second) {
    const Mount& mount = *entry->mount;
    if (!entry->host.empty() && entry->host != host) continue;
    if (!entry->matches(parts, route.params)) continue;
    const bool socket = mount.kind == MountKind::kWebSocket;
    if (socket && !websocket) socket_here = true;
    if (socket != websocket) continue;
    // A mount for everything below must not take HEAD from the one that answers GET here.
    if (get_entry != nullptr && !entry->as_specific_as(*get_entry)) break;
    if (websocket || entry->serves(head.method)) {
      route.mount = entry->mount;
      return route;
    }
    if (head.method == "HEAD" && get_entry == nullptr && entry->serves("GET")) {
      get_entry = entry.get();
      get_route = {entry->mount, route.params};
    }
    allowed.insert(allowed.end(), mount.methods.begin(), mount.methods.end());
  }
  if (get_entry != nullptr) return get_route;
  NoRoute none{404, "nothing is mounted at " + std::string(head.path), {}};
  if (allowed.empty() && socket_here && head.method == "GET") {
    // RFC 9110 15.5.22
    return NoRoute{426, std::string(head.path) + " speaks WebSocket: the request must upgrade", {}};
  }
  if (allowed.empty() && socket_here) allowed.emplace_back("GET");
  if (allowed.empty()) return none;
  if (std::find(allowed.begin(), allowed.end(), "GET") != allowed.end()) allowed.push_back("HEAD");
  allowed.push_back("OPTIONS");
  std::sort(allowed.begin(), allowed.end());
  allowed.erase(std::unique(allowed.begin(), allowed.end()), allowed.end());
  for (const auto& method : allowed) none.allow += (none.allow.empty() ? "" : ", ") + method;
  none.status = 405;
  none.message = std::string(head.method) + " is not served at " + std::string(head.path) +
                 "; it has " + none.allow;
  return none;
}

MountPtr MountTable::form_of(std::string_view listener, const RequestHead* head) const {
  const auto entries = entries_.find(listener);
  if (entries == entries_.end()) return nullptr;
  std::vector<std::string> parts;
  if (head != nullptr && head->path.starts_with('/')) {
    for (const std::string_view part : split_path(head->path)) {
      parts.push_back(percent_decode(part).value_or(std::string(part)));
    }
  }
  const std::string host = head == nullptr ? std::string() : host_name_of(head->host);
  MountPtr for_everything;
  for (const auto& entry : entries->second) {
    if (!entry->host.empty() && entry->host != host) continue;
    if (entry->fits(parts)) return entry->mount;
    const bool takes_all = entry->mount->catch_all && entry->segments.size() == 1;
    if (takes_all && !for_everything) for_everything = entry->mount;  // a host's come first
  }
  return for_everything;
}

}  // namespace gantry::transport
