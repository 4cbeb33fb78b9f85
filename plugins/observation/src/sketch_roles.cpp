// SPDX-License-Identifier: Apache-2.0
#include "sketch_roles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "text.hpp"

namespace gantry::observation {
namespace {

enum class Glyph { Check, Radio, Combo, MenuItem, Slider, Progress };

struct RoleGlyph {
  std::string_view role;
  Glyph glyph;
};

constexpr std::array<RoleGlyph, 12> kRoleGlyphs{{{"checkbox", Glyph::Check},
                                                 {"togglebutton", Glyph::Check},
                                                 {"switch", Glyph::Check},
                                                 {"radio", Glyph::Radio},
                                                 {"radiobutton", Glyph::Radio},
                                                 {"combobox", Glyph::Combo},
                                                 {"dropdownbutton", Glyph::Combo},
                                                 {"popupbutton", Glyph::Combo},
                                                 {"menuitem", Glyph::MenuItem},
                                                 {"slider", Glyph::Slider},
                                                 {"scrollbar", Glyph::Slider},
                                                 {"progressbar", Glyph::Progress}}};

constexpr std::array<std::string_view, 16> kFocusableRoles{
    "button",    "checkbox",  "radiobutton", "radio",        "combobox", "menuitem",
    "tab",       "textfield", "edit",        "editabletext", "text",     "link",
    "hyperlink", "slider",    "spinner",     "spinbutton"};

struct Landmark {
  std::string_view role, label;
};

constexpr std::array<Landmark, 8> kLandmarks{{{"toolbar", "Toolbar"},
                                              {"menubar", "MenuBar"},
                                              {"tabpanel", "TabPanel"},
                                              {"sidebar", "Sidebar"},
                                              {"statusbar", "StatusBar"},
                                              {"dialog", "Dialog"},
                                              {"navigation", "Navigation"},
                                              {"banner", "Banner"}}};

constexpr int kSliderMargin = 6;
constexpr int kSliderLeast = 5;
constexpr int kProgressMargin = 5;
constexpr int kProgressLeast = 4;

/// Python's round(): halves go to the even neighbour.
int round_half_even(double value) { return static_cast<int>(std::nearbyint(value)); }

std::optional<double> parse_number(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end == copy.c_str() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> fraction_of_text(std::string_view raw) {
  const std::string_view text = trim(raw);
  if (text.empty()) return std::nullopt;
  if (text.back() == '%') {
    const auto percent = parse_number(trim(text.substr(0, text.size() - 1)));
    return percent ? std::optional(*percent / 100.0) : std::nullopt;
  }
  if (const auto of = text.find(" of "); of != std::string_view::npos) {
    const auto part = parse_number(trim(text.substr(0, of)));
    const auto whole = parse_number(trim(text.substr(of + 4)));
    if (part && whole && *whole > 0) return *part / *whole;
    return std::nullopt;
  }
  const auto number = parse_number(text);
  if (!number || *number < 0 || *number > 100) return std::nullopt;
  return *number <= 1 ? *number : *number / 100.0;
}

std::string percent_text(double fraction) {
  return fmt::format(" {}%", round_half_even(fraction * 100));
}

std::u32string slider_line(double fraction, int width) {
  const int track = std::max(kSliderLeast, width - kSliderMargin) - 2;
  const int knob = std::clamp(round_half_even(fraction * (track - 1)), 0, track - 1);
  std::u32string line = U"├" + std::u32string(static_cast<std::size_t>(track), U'─') + U"┤";
  line[static_cast<std::size_t>(knob) + 1] = U'●';
  return line + decode_utf8(percent_text(fraction));
}

std::u32string progress_line(double fraction, int width) {
  const int bar = std::max(kProgressLeast, width - kProgressMargin);
  const int filled = std::clamp(round_half_even(fraction * bar), 0, bar);
  return std::u32string(static_cast<std::size_t>(filled), U'▓') +
         std::u32string(static_cast<std::size_t>(bar - filled), U'░') +
         decode_utf8(percent_text(fraction));
}

std::string joined(std::string_view mark, const std::string& name) {
  return name.empty() ? std::string(mark) : std::string(mark) + ' ' + name;
}

std::string combo_text(const Node& node) {
  std::string line = joined(node.expanded.value_or(false) ? "▼" : "▶", node.name);
  if (node.value && !node.value->empty()) line += " [" + *node.value + ']';
  return line;
}

}  // namespace

std::string normalize_role(std::string_view role) {
  std::string lower = to_lower(trim(role));
  lower.erase(0, std::min(lower.find_first_not_of("ax"), lower.size()));
  std::erase_if(lower, [](char c) { return c == '_' || c == '-' || c == ' '; });
  return lower;
}

bool is_focusable_role(std::string_view normalized) {
  return std::find(kFocusableRoles.begin(), kFocusableRoles.end(), normalized) !=
         kFocusableRoles.end();
}

std::string_view landmark_label(std::string_view normalized) {
  for (const Landmark& landmark : kLandmarks) {
    if (landmark.role == normalized) return landmark.label;
  }
  return {};
}

bool shows_value_as_bar(std::string_view normalized) {
  return normalized == "slider" || normalized == "scrollbar" || normalized == "progressbar";
}

std::optional<double> value_fraction(const Node& node) {
  std::optional<double> fraction;
  if (node.value_now && node.value_min && node.value_max && *node.value_max > *node.value_min) {
    fraction = (*node.value_now - *node.value_min) / (*node.value_max - *node.value_min);
  } else if (node.value) {
    fraction = fraction_of_text(*node.value);
  }
  if (fraction) fraction = std::clamp(*fraction, 0.0, 1.0);
  return fraction;
}

std::u32string role_glyph_line(const Node& node, std::string_view normalized, int width) {
  const auto* const entry = std::find_if(kRoleGlyphs.begin(), kRoleGlyphs.end(),
                                         [&](const RoleGlyph& g) { return g.role == normalized; });
  if (entry == kRoleGlyphs.end()) return {};
  const bool on = node.selected.value_or(false);
  const std::optional<double> fraction = value_fraction(node);
  switch (entry->glyph) {
    case Glyph::Check: return decode_utf8(joined(on ? "[x]" : "[ ]", node.name));
    case Glyph::Radio: return decode_utf8(joined(on ? "(•)" : "( )", node.name));
    case Glyph::Combo: return decode_utf8(combo_text(node));
    case Glyph::MenuItem:
      return decode_utf8((node.expanded.value_or(false) ? "▸ " : "") + node.name);
    case Glyph::Slider: return fraction ? slider_line(*fraction, width) : std::u32string();
    case Glyph::Progress: return fraction ? progress_line(*fraction, width) : std::u32string();
  }
  return {};
}

std::string sketch_badges(const Node& node) {
  std::string out;
  const auto add = [&out](std::string_view badge) {
    if (!out.empty()) out += ' ';
    out += badge;
  };
  if (node.focused) add("●");
  if (!node.enabled) add("✗");
  if (node.keyboard_shortcut && !node.keyboard_shortcut->empty()) {
    add("⌨" + *node.keyboard_shortcut);
  }
  return out;
}

}  // namespace gantry::observation
