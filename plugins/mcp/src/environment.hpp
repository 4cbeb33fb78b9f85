// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the protocol's core needs of the world: time, randomness, and the way to a client. Tests put
// their own in its place. Everything on the plugin's strand.

#include <gantry/time.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace gantry::mcp {

class Environment {
 public:
  virtual ~Environment() = default;
  [[nodiscard]] virtual std::int64_t now_ns() const = 0;
  /// Runs `work` once after `delay`, unless what is returned goes before.
  [[nodiscard]] virtual std::shared_ptr<void> after(Duration delay, std::function<void()> work) = 0;
  virtual void warn(std::string_view message, std::string_view detail) = 0;
};

/// The way back of one request. The first respond() ends it.
class Outlet {
 public:
  virtual ~Outlet() = default;
  /// Whether messages may go out before the response; else send() drops them.
  [[nodiscard]] virtual bool streams() const = 0;
  virtual void send(std::string message) = 0;
  /// `status` is HTTP's; other transports have none.
  virtual void respond(std::string message, int status) = 0;
  /// The client may hang up and come back for the rest after so many milliseconds.
  virtual void come_back(std::int64_t ms) = 0;
  /// The request was cancelled: there will be no response, and nobody may go on waiting for it.
  virtual void unanswered() {}
};

}  // namespace gantry::mcp
