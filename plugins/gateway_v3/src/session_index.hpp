// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whose session is which: the protocol's keys do not say it. Kept in the store. Strand only.

#include <gantry/contracts/session.hpp>
#include <gantry/host.hpp>
#include <gantry/task.hpp>

#include <boost/describe/class.hpp>

#include <functional>
#include <set>
#include <string>
#include <unordered_map>

#include "identity.hpp"

namespace gantry::gateway {

struct SessionOwner {
  std::string user;
  std::string principal;
  std::string agent;
};
BOOST_DESCRIBE_STRUCT(SessionOwner, (), (user, principal, agent))

/// What somebody may do with a key.
struct SessionAccess {
  bool allowed = false;
  bool known = false;  // it was begun here
  SessionKey session;  // the engine's
  std::string user;    // whose it is
};

class SessionIndex {
 public:
  explicit SessionIndex(Host& host) : host_(host) {}

  /// Reads what the store has; without a store it begins empty.
  Task<Result<void>> load();
  [[nodiscard]] SessionAccess access(const Identity& who, const std::string& key) const;
  /// The session is this one's from now on, for the daemon's life at least. Errors: unavailable
  /// (the store).
  Task<Result<void>> own(std::string key, SessionOwner owner);
  Task<Result<void>> forget(std::string key);
  [[nodiscard]] const SessionOwner* find(const std::string& key) const;
  /// Everybody who has a session here.
  [[nodiscard]] std::set<std::string> principals() const;

 private:
  Host& host_;
  std::unordered_map<std::string, SessionOwner> owners_;
};

}  // namespace gantry::gateway
