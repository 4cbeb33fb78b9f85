// SPDX-License-Identifier: Apache-2.0
//
// The clipboard, as text.
#pragma once

#include <gantry/contracts/common.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gantry {

struct ClipboardContent {
  std::string text;
  std::vector<std::string> targets;  // formats that the owner offers
};
BOOST_DESCRIBE_STRUCT(ClipboardContent, (), (text, targets))

/// Errors: not_found (the clipboard is empty or holds no text), deadline_exceeded (the owner does
/// not answer), unavailable.
struct ClipboardGet {
  static constexpr std::string_view kName = "gantry.clipboard.get/1";
  static constexpr std::string_view kDoc = "Reads the clipboard as text.";
  using Request = Nothing;
  using Response = ClipboardContent;
};

struct ClipboardSetRequest {
  std::string text;
};
BOOST_DESCRIBE_STRUCT(ClipboardSetRequest, (), (text))

struct ClipboardSet {
  static constexpr std::string_view kName = "gantry.clipboard.set/1";
  static constexpr std::string_view kDoc = "Puts text on the clipboard.";
  using Request = ClipboardSetRequest;
  using Response = Done;
};

}  // namespace gantry
