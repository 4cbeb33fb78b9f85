// SPDX-License-Identifier: Apache-2.0
#include "app.hpp"

#include <array>

namespace gantry::atspi {
namespace {

using Id = ToolkitTraits::Identifier;

// Index = Toolkit. Measured on GTK 3.24.38, GTK 4.8.3, Qt 5.15.8, Chromium 156; see README.
constexpr std::array<ToolkitTraits, 8> kTraits = {{
    // cache, lazy, showing, get_all, window_relative, bounds_events, tree_events, labels,
    // identifier
    {true, false, true, false, false, false, false, true, Id::kNone},  // unknown
    {true, false, true, true, false, true, true, true, Id::kNone},     // GTK 3
    {true, true, false, true, true, false, false, false, Id::kNone},   // GTK 4
    {false, false, true, false, false, false, false, false,
     Id::kProperty},                                                       // Qt: GetItems is empty
    {true, false, true, true, false, false, true, false, Id::kAttribute},  // Chromium
    {true, false, true, true, false, false, true, false, Id::kAttribute},  // Gecko
    {true, false, true, true, false, false, true, false, Id::kAttribute},  // WebKit
    {true, false, true, false, false, false, false, true, Id::kNone},      // other
}};

}  // namespace

Toolkit toolkit_of(std::string_view name, std::string_view version) {
  if (name == "gtk" || name == "GTK" || name == "GAIL") {
    return version.starts_with("4") ? Toolkit::kGtk4 : Toolkit::kGtk3;
  }
  if (name == "Qt") return Toolkit::kQt;
  if (name == "Chromium") return Toolkit::kChromium;
  if (name == "Gecko") return Toolkit::kGecko;
  if (name == "WebKitGTK" || name == "WebKitGtk" || name == "WPEWebKit") return Toolkit::kWebKit;
  return name.empty() ? Toolkit::kUnknown : Toolkit::kOther;
}

const ToolkitTraits& toolkit_traits(Toolkit toolkit) {
  return kTraits[static_cast<std::size_t>(toolkit)];
}

}  // namespace gantry::atspi
