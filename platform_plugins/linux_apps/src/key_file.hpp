// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files of groups, keys and values, as desktop entries and mimeapps.list have them (Desktop Entry
// Specification 1.5, sections 3 and 4). Pure functions; a line that is none is passed over.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::apps {

/// The keys of one group with their raw values; the first of two equal keys counts.
using KeyGroup = std::map<std::string, std::string, std::less<>>;

[[nodiscard]] std::map<std::string, KeyGroup, std::less<>> read_key_file(std::string_view text);

/// Undoes \s, \n, \t, \r and \\.
[[nodiscard]] std::string unescaped(std::string_view value);
/// The parts of "a;b;c;", each unescaped; an escaped semicolon separates nothing.
[[nodiscard]] std::vector<std::string> list_of(std::string_view value);

}  // namespace gantry::apps
