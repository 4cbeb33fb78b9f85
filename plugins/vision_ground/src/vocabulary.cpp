// SPDX-License-Identifier: Apache-2.0
#include "vocabulary.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace gantry::vision_ground {
namespace {

using Roles = std::vector<std::string_view>;

const std::map<std::string_view, RoleWord>& role_words() {
  static const Roles buttons{"Button", "ToggleButton", "MenuItem"};
  static const Roles fields{"Edit", "Password", "ComboBox", "SpinButton", "Text", "Terminal"};
  static const Roles checks{"CheckBox", "CheckMenuItem", "Switch", "ToggleButton"};
  static const Roles radios{"RadioButton", "RadioMenuItem"};
  static const Roles choices{"ComboBox", "List"};
  static const Roles pictures{"Image", "Button", "ToggleButton", "Canvas"};
  static const Roles texts{"Text", "Label", "Heading", "Paragraph"};
  static const std::map<std::string_view, RoleWord> kWords{
      {"button", {buttons, ""}},
      {"btn", {buttons, ""}},
      {"field", {fields, ""}},
      {"input", {fields, ""}},
      {"textbox", {fields, ""}},
      {"textfield", {fields, ""}},
      {"textarea", {fields, ""}},
      {"entry", {fields, ""}},
      {"bar",
       {{"Edit", "ComboBox", "ToolBar", "MenuBar", "StatusBar", "ScrollBar", "ProgressBar"}, ""}},
      {"box", {{"Edit", "Password", "ComboBox", "CheckBox", "SpinButton"}, ""}},
      {"checkbox", {checks, ""}},
      {"tickbox", {checks, ""}},
      {"toggle", {checks, ""}},
      {"switch", {checks, ""}},
      {"radio", {radios, ""}},
      {"radiobutton", {radios, ""}},
      {"dropdown", {choices, ""}},
      {"drop-down", {choices, ""}},
      {"combo", {choices, ""}},
      {"combobox", {choices, ""}},
      {"select", {choices, ""}},
      {"selector", {choices, ""}},
      {"icon", {pictures, "icon"}},
      {"image", {pictures, "icon"}},
      {"picture", {pictures, "icon"}},
      {"logo", {pictures, "icon"}},
      {"symbol", {pictures, "icon"}},
      {"link", {{"Link"}, "text"}},
      {"hyperlink", {{"Link"}, "text"}},
      {"tab", {{"Tab"}, ""}},
      {"menu", {{"Menu", "MenuItem", "MenuBar", "Button"}, ""}},
      {"item", {{"MenuItem", "ListItem", "TreeItem"}, "text"}},
      {"row", {{"Row", "ListItem", "TreeItem"}, "text"}},
      {"cell", {{"Cell"}, "text"}},
      {"label", {texts, "text"}},
      {"text", {texts, "text"}},
      {"heading", {texts, "text"}},
      {"title", {texts, "text"}},
      {"caption", {texts, "text"}},
      {"slider", {{"Slider"}, ""}},
      {"panel", {{"Pane", "Group", "Form"}, "region"}},
      {"area", {{"Pane", "Group", "Form", "Edit", "Document"}, "region"}},
      {"window", {{"Window", "Dialog"}, "region"}},
      {"dialog", {{"Dialog", "Alert", "Window"}, "region"}},
  };
  return kWords;
}

struct ColourWord {
  std::string_view word;
  std::string_view name;
};
constexpr ColourWord kColours[] = {
    {"red", "red"},       {"crimson", "red"},   {"orange", "orange"},  {"amber", "orange"},
    {"yellow", "yellow"}, {"gold", "yellow"},   {"green", "green"},    {"lime", "green"},
    {"cyan", "cyan"},     {"teal", "cyan"},     {"turquoise", "cyan"}, {"blue", "blue"},
    {"navy", "blue"},     {"purple", "purple"}, {"violet", "purple"},  {"pink", "pink"},
    {"magenta", "pink"},  {"brown", "brown"},   {"white", "white"},    {"grey", "grey"},
    {"gray", "grey"},     {"black", "black"}};

/// Colours that people tell apart in different ways.
struct Neighbours {
  std::string_view a;
  std::string_view b;
};
constexpr Neighbours kNeighbours[] = {
    {"red", "orange"},   {"red", "pink"},   {"orange", "yellow"}, {"orange", "brown"},
    {"yellow", "green"}, {"green", "cyan"}, {"cyan", "blue"},     {"blue", "purple"},
    {"purple", "pink"},  {"white", "grey"}, {"grey", "black"},    {"red", "brown"}};

struct Ordinal {
  std::string_view word;
  int value;
};
constexpr Ordinal kOrdinals[] = {
    {"first", 1},   {"1st", 1},   {"second", 2}, {"2nd", 2},    {"third", 3}, {"3rd", 3},
    {"fourth", 4},  {"4th", 4},   {"fifth", 5},  {"5th", 5},    {"sixth", 6}, {"6th", 6},
    {"seventh", 7}, {"7th", 7},   {"eighth", 8}, {"8th", 8},    {"ninth", 9}, {"9th", 9},
    {"tenth", 10},  {"10th", 10}, {"last", -1},  {"final", -1}, {"only", 0}};

constexpr std::string_view kFillers[] = {
    "the",   "a",      "an",     "this",  "that",    "please",  "click",    "press",    "tap",
    "find",  "locate", "on",     "of",    "is",      "with",    "for",      "and",      "to",
    "at",    "which",  "where",  "named", "its",     "it",      "our",      "my",       "your",
    "one",   "says",   "saying", "reads", "called",  "labeled", "labelled", "coloured", "colored",
    "color", "colour", "side",   "part",  "control", "element", "in",       "hand"};

}  // namespace

const RoleWord* role_word(std::string_view word) {
  const auto& words = role_words();
  const auto found = words.find(word);
  if (found != words.end()) return &found->second;
  if (word.size() > 2 && word.back() == 's') {
    const auto single = words.find(word.substr(0, word.size() - 1));
    if (single != words.end()) return &single->second;
  }
  return nullptr;
}

std::string_view colour_word(std::string_view word) {
  const auto* found = std::find_if(std::begin(kColours), std::end(kColours),
                                   [&](const ColourWord& row) { return row.word == word; });
  return found == std::end(kColours) ? std::string_view() : found->name;
}

double colour_fit(std::string_view wish, std::string_view there) {
  if (wish == there) return 1;
  const bool near =
      std::any_of(std::begin(kNeighbours), std::end(kNeighbours), [&](const Neighbours& pair) {
        return (pair.a == wish && pair.b == there) || (pair.b == wish && pair.a == there);
      });
  return near ? 0.6 : 0;
}

int ordinal_word(std::string_view word) {
  const auto* found = std::find_if(std::begin(kOrdinals), std::end(kOrdinals),
                                   [&](const Ordinal& row) { return row.word == word; });
  return found == std::end(kOrdinals) ? 0 : found->value;
}

bool is_filler(std::string_view word) {
  return std::find(std::begin(kFillers), std::end(kFillers), word) != std::end(kFillers);
}

}  // namespace gantry::vision_ground
