// SPDX-License-Identifier: Apache-2.0
#pragma once

// Mounts: who serves which requests of a listener. A mount is a path pattern with methods, perhaps
// a host name, and the rules that hold for it. Tables are immutable once built; any thread.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "http_types.hpp"

namespace gantry::transport {

class MountHandler;
class Authenticator;

enum class MountKind : uint8_t {
  kRequest,  ///< the whole body first, then an answer, in one piece or streamed
  kWebSocket,
};

struct Mount {
  std::string owner;     ///< plugin that serves it
  std::string listener;  ///< name of the listener
  std::string host;      ///< only requests for this host name; empty: any
  std::string path;      ///< "/exact", "/api/{name}", "/prefix/*" ("/prefix/" and all below)
  std::vector<std::string> methods;  ///< empty: all; ignored by WebSocket mounts
  MountKind kind = MountKind::kRequest;

  std::shared_ptr<Authenticator> authenticator;  ///< null: open to whoever passes the listener
  bool own_authentication = false;               ///< the handler checks credentials itself
  bool open = false;  ///< nobody is asked for the token that the other routes of the mount need
  bool json_posts_only = true;  ///< see check_json_post()
  bool catch_all = false;       ///< only says that there is nothing; others may still mount there
  size_t body_bytes = 0;        ///< 0: the listener's limit
  size_t message_bytes = 0;     ///< 0: the listener's limit
  int64_t close_answer_ms = 0;  ///< a WebSocket's handler may send so long after the peer's close
  std::string error_template;   ///< body of our refusals; empty: {"error":{message}}

  std::shared_ptr<MountHandler> handler;
};
using MountPtr = std::shared_ptr<const Mount>;

/// Why a mount was refused; `message` is a sentence that names the mount.
struct MountFailure {
  enum class Kind : uint8_t {
    kMalformed,   ///< the path pattern or a method
    kNoListener,  ///< there is none of that name
    kExposed,     ///< no authentication where other machines can reach it
    kOverlap,     ///< another mount has the same place; both are named
  };
  Kind kind;
  std::string message;
};

/// Error text when the mount cannot be: pattern malformed, unknown method. nullopt: fine.
std::optional<std::string> check_mount(const Mount& mount);

/// Whether some request would match both with equal right: same listener and host, same kind of
/// upgrade, common method, and path patterns that differ in parameter names at most. A literal
/// segment beats {name}, which beats *, so nested patterns do not overlap. The text names both.
std::optional<std::string> find_overlap(const Mount& a, const Mount& b);

/// What a lookup found: a mount, or the methods that the path has.
struct Route {
  MountPtr mount;
  std::vector<std::pair<std::string, std::string>> params;
};
struct NoRoute {
  /// 400 malformed escape or dot segment, 404, 405, 426 only a WebSocket, 503 the listener has no
  /// mount at all
  int status = 404;
  std::string message;
  std::string allow;  ///< methods at this path, ", " between them, when it exists at all
};

class MountTable {
 public:
  /// A table with one more mount. Fails as kMalformed or kOverlap.
  static std::variant<std::shared_ptr<const MountTable>, MountFailure> with(
      const std::shared_ptr<const MountTable>& table, MountPtr mount);
  static std::shared_ptr<const MountTable> without(const std::shared_ptr<const MountTable>& table,
                                                   const Mount* mount);

  /// HEAD goes to the mount that GET has, unless one as specific takes HEAD. `websocket` looks
  /// among WebSocket mounts; without one at the path the upgrade is ignored and the request
  /// answered as what it is (RFC 9110 7.8).
  std::variant<Route, NoRoute> find(std::string_view listener, const RequestHead& head,
                                    bool websocket) const;

  /// In whose form a request is refused that no mount took, or that could not be read (null): of
  /// the most specific mount at its path, whatever the method is and as far as the path can be
  /// read, else of the one for everything. Null: nobody's.
  MountPtr form_of(std::string_view listener, const RequestHead* head) const;

  const std::vector<MountPtr>& mounts() const { return mounts_; }

 private:
  struct Entry;
  std::vector<MountPtr> mounts_;
  /// By listener; most specific first.
  std::map<std::string, std::vector<std::shared_ptr<const Entry>>, std::less<>> entries_;
};

}  // namespace gantry::transport
