// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the windows say about an application that was started a moment ago. Pure functions.

#include <gantry/contracts/app.hpp>
#include <gantry/observed.hpp>

#include <optional>
#include <string>
#include <vector>

namespace gantry::desk {

struct Launch {
  std::int64_t pid = 0;
  std::string program;      ///< File name of what was started.
  std::string app_program;  ///< As the application's entry has it; may be another one.
  std::vector<observed::Window> before;
};

struct Sighting {
  const observed::Window* window = nullptr;  ///< Of the application; nullptr: none was seen.
  bool opened = false;                       ///< It was not there before.
  const observed::Window* other = nullptr;   ///< One of somebody else that opened meanwhile.
};

/// A new window of the process, else a new one of a process that is called like it, else, when
/// the process has handed over and ended, one of such a process that is in front.
[[nodiscard]] Sighting look_for(const Launch& launch, const std::vector<observed::Window>& now,
                                bool handed_over);

/// "window 'Untitled' of mousepad (process 123)"
[[nodiscard]] std::string words_of(const observed::Window& window);

}  // namespace gantry::desk
