// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values that selectors ask for. Whoever looks for a password field by what is in it has written
// the password down.

#include <string>
#include <string_view>

#include "selector.hpp"

namespace gantry::observation {

/// The selector with "<redacted>" for every value that it asks of an element, `[value="…"]` and
/// keys that are not known, which may be a misspelt `value`. What cannot be read is "<redacted>"
/// as a whole when there are brackets in it. Pure.
[[nodiscard]] std::string without_sought_values(std::string_view selector);

/// Whether such a value is asked of an element that nobody gets to read: the selector finds nothing
/// here, and without the values it finds one of those.
[[nodiscard]] bool seeks_secret(const Selector& selector, const Node& root);

}  // namespace gantry::observation
