// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values that selectors ask for. Whoever looks for a password field by what is in it has written
// the password down.

#include <string>
#include <string_view>

#include "selector.hpp"

namespace gantry::observation {

/// The selector as a record may have it: with "<redacted>" for the arguments of pseudo-classes that
/// are not known, which mean nothing, and, unless `values_told`, for every value that it asks of an
/// element, `[value="…"]` and keys that are not known, which may be a misspelt `value`. Unless
/// `values_told`, what cannot be read is "<redacted>" as a whole when there are brackets, quotes or
/// an equals sign in it. Pure.
[[nodiscard]] std::string recordable_selector(std::string_view selector, bool values_told);

/// Of which elements such a value is asked.
enum class Sought {
  Nowhere,   ///< Of none that is there, or that could be told: it may be meant for any.
  Readable,  ///< Of some that anybody may read; they have another one.
  Secret,    ///< Of one that nobody gets to read.
  Found,     ///< Of one that has it. Also when no value is asked for.
};

[[nodiscard]] Sought sought_by(const Selector& selector, const Node& root);

/// Whether the value may be told.
[[nodiscard]] inline bool is_open(Sought sought) {
  return sought == Sought::Readable || sought == Sought::Found;
}

}  // namespace gantry::observation
