// SPDX-License-Identifier: Apache-2.0
// The AT-SPI role table: role number → observer role and the toolkit-neutral AT-SPI name.
#pragma once

#include <cstdint>
#include <string_view>

namespace gantry::atspi {

/// The role numbers the adapter itself has to tell apart (at-spi2-core, AtspiRole).
enum class Role : std::uint32_t {
  kInvalid = 0,
  kAlert = 2,
  kComboBox = 11,
  kDialog = 16,
  kFileChooser = 19,
  kFrame = 23,
  kInternalFrame = 28,
  kMenu = 33,
  kMenuItem = 35,
  kPasswordText = 40,
  kScrollBar = 48,
  kSpinButton = 52,
  kTerminal = 60,
  kText = 61,
  kWindow = 69,
  kExtended = 70,
  kParagraph = 73,
  kApplication = 75,
  kAutocomplete = 76,
  kEditbar = 77,
  kEntry = 79,
  kDocumentFrame = 82,
  kDocumentText = 94,
  kDocumentWeb = 95,
};

/// What a role means to the adapter beyond its name.
enum RoleTrait : unsigned {
  kPlain = 0,
  kTopLevel = 1U << 0U,    ///< may stand for an X11 window
  kHoldsText = 1U << 1U,   ///< its text content is its value, worth a GetText
  kSecret = 1U << 2U,      ///< its text is never read
  kHoldsRange = 1U << 3U,  ///< its Value interface is worth reading
  kActs = 1U << 4U,        ///< made to be acted upon: its Action interface is worth reading
};

struct RoleInfo {
  std::string_view observer;  ///< "Button", "MenuItem" …: the vocabulary of the published observer
  std::string_view name;      ///< AT-SPI's own name, "push button"
  unsigned traits = kPlain;
};

/// Row of a role number. Numbers newer than the table (and EXTENDED) give {"Unknown", "unknown"};
/// the caller then asks the toolkit for its GetRoleName.
const RoleInfo& role_info(std::uint32_t role);

/// Observer role for a toolkit's own role name (for EXTENDED roles); "Unknown" when there is none.
std::string_view observer_role_of_name(std::string_view toolkit_name);

/// How many rows the table has; larger numbers are unknown.
std::uint32_t role_count();

inline bool role_is(std::uint32_t role, Role known) {
  return role == static_cast<std::uint32_t>(known);
}

}  // namespace gantry::atspi
