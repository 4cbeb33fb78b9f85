// SPDX-License-Identifier: Apache-2.0
// A dbus-daemon of the test's own, ended with the object.
#pragma once

#include <sys/types.h>

#include <string>

namespace gantry::atspi::testing {

class PrivateBus {
 public:
  PrivateBus();
  ~PrivateBus();
  PrivateBus(const PrivateBus&) = delete;
  PrivateBus& operator=(const PrivateBus&) = delete;

  /// Empty when no dbus-daemon could be started.
  const std::string& address() const { return address_; }
  void kill();
  /// A new daemon at the old address.
  void restart();

 private:
  void start();
  pid_t pid_ = -1;
  std::string address_;
};

}  // namespace gantry::atspi::testing
