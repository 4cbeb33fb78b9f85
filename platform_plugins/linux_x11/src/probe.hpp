// SPDX-License-Identifier: Apache-2.0
//
// How well this adapter suits the machine, by trying each ability now.
#pragma once

#include "capture.hpp"
#include "connection.hpp"

#include <string>
#include <vector>

namespace gantry::x11 {

struct Ability {
  std::string name;  // "window.list", "screen.capture", …
  bool available = false;
  std::string reason;  // how it is done, or why not
  std::string cure;
};

struct Suitability {
  int score = 0;  // 0: cannot work; 100: a whole X11 desktop
  std::string reason;
  std::string cure;
  std::vector<Ability> abilities;
};

/// [may block: a few milliseconds]
Suitability probe(X11Connection& connection, ScreenCapture& capture);

}  // namespace gantry::x11
