// SPDX-License-Identifier: Apache-2.0
#pragma once
// One desktop entry (Desktop Entry Specification 1.5). Pure functions.

#include <gantry/contracts/app.hpp>
#include <gantry/result.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::apps {

struct DesktopEntry {
  AppInfo info;
  std::string exec;      // as the entry has it, unescaped
  std::string try_exec;  // must be there for the entry to count
  std::string folder;    // to start in; empty: any
  std::vector<std::string> media_types;
  bool hidden = false;  // as if it were not installed
};

/// What decides how an entry reads here.
struct Locale {
  std::string language;  // "de_DE.UTF-8", as LC_MESSAGES has it
  std::string desktop;   // "XFCE:GNOME", as XDG_CURRENT_DESKTOP has it
};

/// Nothing when the text is no entry of an application.
[[nodiscard]] std::optional<DesktopEntry> read_entry(std::string id, std::string_view text,
                                                     const Locale& locale);

/// The words of an Exec line, without the places for files, addresses and icons (section 7).
/// InvalidArgument when a quote is not closed or nothing is left.
[[nodiscard]] Result<std::vector<std::string>> command_of(const DesktopEntry& entry);

}  // namespace gantry::apps
