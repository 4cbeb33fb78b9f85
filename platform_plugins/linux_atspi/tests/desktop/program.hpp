// SPDX-License-Identifier: Apache-2.0
// A program under test and its X11 window. Desktop tests only.
#pragma once

#include "window_match.hpp"

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace gantry::atspi::testing {

class Program {
 public:
  explicit Program(std::vector<std::string> command);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  bool running() const;
  /// The whole process group: a browser's helpers too.
  void signal(int number) const;
  /// Its window with this title ("": any) once it is mapped, as a window list would report it.
  std::optional<WindowHint> window(const std::string& title, int seconds = 20) const;

 private:
  pid_t pid_ = -1;
};

/// Moves a window (handle as in WindowHint) and waits until the server has done it.
void move_window(const WindowHint& hint, int x, int y);

/// Full path of an installed program, or "".
std::string find_program(const std::string& name);

}  // namespace gantry::atspi::testing
