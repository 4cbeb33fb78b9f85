// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs that wait for a client to come back with its answers. Each can be taken once. Strand only.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace gantry::mcp {

class AskingRun;

class Parked {
 public:
  /// The oldest gives way when there are more than `most`; those that have expired go first.
  void put(std::string id, std::int64_t expires_ns, std::shared_ptr<AskingRun> run,
           std::size_t most, std::int64_t now_ns);
  /// nullptr when there is none, or it has expired.
  [[nodiscard]] std::shared_ptr<AskingRun> take(std::string_view id, std::int64_t now_ns);
  /// Gives up those that have expired.
  void sweep(std::int64_t now_ns);
  void clear();
  [[nodiscard]] std::size_t size() const { return waiting_.size(); }

 private:
  struct Waiting {
    std::string id;
    std::int64_t expires_ns = 0;
    std::shared_ptr<AskingRun> run;
  };
  std::deque<Waiting> waiting_;  // oldest first
};

}  // namespace gantry::mcp
