// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which application opens a media type (Association between MIME types and applications 1.0.1,
// sections 2 and 3). Pure functions.

#include <gantry/contracts/app.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "desktop_entry.hpp"

namespace gantry::apps {

/// The files that have a say, the one that counts most first.
struct Associations {
  std::vector<std::string> mimeapps;  // texts of mimeapps.list
  std::vector<std::string> mimeinfo;  // texts of mimeinfo.cache
};

/// `entries` are those that are installed. Where nobody chose, applications with a window go before
/// programs for terminals.
[[nodiscard]] AppsForType apps_for_type(const std::string& media_type,
                                        const Associations& associations,
                                        const std::vector<DesktopEntry>& entries);

}  // namespace gantry::apps
