// SPDX-License-Identifier: Apache-2.0
#pragma once
// How many turns run at once, and who is next: users that wait take turns, whoever asked most.
// Strand only.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace gantry::agent {

class Places {
 public:
  struct Limits {
    std::int64_t of_all = 0;
    std::int64_t of_one = 0;
  };
  using Begin = std::function<void()>;

  /// `begin` runs when there is a place: at once, or when others have given theirs back.
  /// `ticket` names the turn and is not 0.
  void ask(std::uint64_t ticket, const std::string& user, const Limits& limits, Begin begin);
  /// The turn is over, whether it had a place, waits for one or never asked.
  void leave(std::uint64_t ticket, const Limits& limits);
  /// Nobody waits any more.
  void clear();
  /// The limits have changed.
  void fill(const Limits& limits);

  [[nodiscard]] std::size_t running() const { return running_.size(); }
  [[nodiscard]] std::size_t waiting() const { return waiting_; }

 private:
  struct Waiting {
    std::uint64_t ticket = 0;
    Begin begin;
  };
  struct User {
    std::int64_t running = 0;
    std::deque<Waiting> line;
  };

  [[nodiscard]] bool has_room(const User& user, const Limits& limits) const;
  /// The next user's first turn, if one may begin.
  [[nodiscard]] Begin take(const Limits& limits);
  void withdraw(std::uint64_t ticket);
  void tidy(const std::string& name);

  std::map<std::string, User> users_;
  std::deque<std::string> turn_;  // users with a line, in the order in which they are served
  std::map<std::uint64_t, std::string> running_;
  std::size_t waiting_ = 0;
};

}  // namespace gantry::agent
