// SPDX-License-Identifier: Apache-2.0
// Finding the session bus of the desktop, also when the daemon was started by systemd, ssh or a
// container entry point that does not pass DBUS_SESSION_BUS_ADDRESS on.
#pragma once

#include <gantry/result.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace gantry::atspi {

/// Where to look; tests point the paths at a directory of their own.
struct SessionEnvironment {
  std::function<std::string(const char*)> getenv;  ///< "" when unset
  std::uint32_t uid = 0;
  std::string run_user = "/run/user";
  std::string proc = "/proc";

  static SessionEnvironment of_this_process();
};

struct BusAddress {
  std::string address;  ///< D-Bus address
  std::string
      source;  ///< "AT_SPI_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS", "/run/user/1000/bus", …
  bool accessibility = false;  ///< it is the accessibility bus itself, not the session bus
};

/// In this order: AT_SPI_BUS_ADDRESS, DBUS_SESSION_BUS_ADDRESS, `<run_user>/<uid>/bus`, the
/// environment of a desktop process of the same user (the same DISPLAY is preferred). A desktop of
/// another user is never used: the error then says whose it is. May read /proc (tens of
/// microseconds per process): call it off the plugin's strand.
Result<BusAddress> find_bus(const SessionEnvironment& environment);

}  // namespace gantry::atspi
