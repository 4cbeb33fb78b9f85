// SPDX-License-Identifier: Apache-2.0
#pragma once
// The desktop that ResourceWatch watches, over the bus. It reads handles and serials, never titles,
// texts or pixels that a client could see.

#include <gantry/contracts/screen.hpp>
#include <gantry/contracts/window.hpp>
#include <gantry/host.hpp>

#include <functional>
#include <vector>

#include "resource_watch.hpp"

namespace gantry::mcp {

class BusWatchedDesktop final : public WatchedDesktop {
 public:
  explicit BusWatchedDesktop(Host& host) : host_(host) {}
  void windows(std::function<void(const std::vector<Window>&)> done) override;
  void pixels(const Window* window, std::uint64_t known,
              std::function<void(std::uint64_t)> done) override;

 private:
  Host& host_;
};

}  // namespace gantry::mcp
