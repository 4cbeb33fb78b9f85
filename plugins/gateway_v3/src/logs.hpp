// SPDX-License-Identifier: Apache-2.0
#pragma once
// Connections that read along in the daemon's log. Nothing is asked while there is none. Strand
// only.

#include <gantry/contracts/kernel.hpp>
#include <gantry/host.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace gantry::gateway {

class Server;

class LogTails {
 public:
  explicit LogTails(Server& server) : server_(server) {}
  LogTails(const LogTails&) = delete;
  LogTails& operator=(const LogTails&) = delete;

  /// What comes after the line `last`; `level` is the least that it hears.
  void start(std::uint64_t connection, std::string level, std::uint64_t last);
  void stop(std::uint64_t connection);
  [[nodiscard]] bool is_on() const { return !readers_.empty(); }

 private:
  void ask();
  void take(const LogLines& lines);

  Server& server_;
  std::map<std::uint64_t, std::string> readers_;  // connection → level
  std::uint64_t last_ = 0;
  bool asking_ = false;
  Timer timer_;
};

}  // namespace gantry::gateway
