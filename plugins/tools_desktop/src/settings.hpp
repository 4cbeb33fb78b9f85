// SPDX-License-Identifier: Apache-2.0
#pragma once
// The plugin's configuration, as plugin.yaml declares it.

#include <gantry/contracts/common.hpp>
#include <gantry/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::desk {

struct OpenAppSettings {
  std::int64_t wait = 15'000;  ///< ms
  bool programs = true;
};
BOOST_DESCRIBE_STRUCT(OpenAppSettings, (), (wait, programs))

struct WaitSettings {
  std::int64_t max = 60'000;  ///< ms
};
BOOST_DESCRIBE_STRUCT(WaitSettings, (), (max))

struct ScreenshotSettings {
  std::int64_t max_edge = 1568;  ///< pixels; 0: as it is
};
BOOST_DESCRIBE_STRUCT(ScreenshotSettings, (), (max_edge))

struct ClipboardSettings {
  bool enabled = true;
  std::int64_t max_bytes = 50'000;
};
BOOST_DESCRIBE_STRUCT(ClipboardSettings, (), (enabled, max_bytes))

struct Settings {
  std::vector<std::string> callers;
  OpenAppSettings open_app;
  WaitSettings wait;
  ScreenshotSettings screenshot;
  ClipboardSettings clipboard;
};
BOOST_DESCRIBE_STRUCT(Settings, (), (callers, open_app, wait, screenshot, clipboard))

[[nodiscard]] Result<Settings> read_settings(std::string_view json);

}  // namespace gantry::desk
