// SPDX-License-Identifier: Apache-2.0
#pragma once
// The desktop that ResourceWatch watches, over the bus. It reads handles and serials, never titles,
// texts or pixels that a client could see; and serials of pictures only while the guard lets
// clients have those pictures.

#include <gantry/contracts/screen.hpp>
#include <gantry/contracts/window.hpp>
#include <gantry/host.hpp>

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "resource_watch.hpp"

namespace gantry::mcp {

class BusWatchedDesktop final : public WatchedDesktop {
 public:
  explicit BusWatchedDesktop(Host& host) : host_(host) {}
  void windows(std::function<void(const std::vector<Window>&)> done) override;
  void pixels(const Window* window, std::uint64_t known,
              std::function<void(std::optional<std::uint64_t>)> done) override;

 private:
  /// Whether the guard allows this tool just now.
  void may_look(std::string_view tool, std::function<void(bool)> done);
  void look(const Window* window, std::uint64_t known,
            std::function<void(std::optional<std::uint64_t>)> done);

  Host& host_;
};

}  // namespace gantry::mcp
