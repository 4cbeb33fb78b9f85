// SPDX-License-Identifier: Apache-2.0
#include "chord.hpp"

#include <xkbcommon/xkbcommon-keysyms.h>
#include <catch2/catch.hpp>

using namespace gantry;
using namespace gantry::x11;

namespace {

struct Case {
  std::string text;
  std::vector<std::pair<std::vector<xkb_keysym_t>, xkb_keysym_t>> chords;
};

const Case kCases[] = {
    {"enter", {{{}, XKB_KEY_Return}}},
    {"Return", {{{}, XKB_KEY_Return}}},
    {"ESC", {{{}, XKB_KEY_Escape}}},
    {"page_down", {{{}, XKB_KEY_Page_Down}}},
    {"pgdn", {{{}, XKB_KEY_Page_Down}}},
    {"PageDown", {{{}, XKB_KEY_Page_Down}}},
    {"page-down", {{{}, XKB_KEY_Page_Down}}},
    {"f12", {{{}, XKB_KEY_F12}}},
    {"a", {{{}, XKB_KEY_a}}},
    {"A", {{{}, XKB_KEY_A}}},
    {"ctrl+s", {{{XKB_KEY_Control_L}, XKB_KEY_s}}},
    {"ctrl+S", {{{XKB_KEY_Control_L}, XKB_KEY_s}}},
    {"ctrl+shift+n", {{{XKB_KEY_Control_L, XKB_KEY_Shift_L}, XKB_KEY_n}}},
    {"alt+f4", {{{XKB_KEY_Alt_L}, XKB_KEY_F4}}},
    {"cmd+space", {{{XKB_KEY_Super_L}, XKB_KEY_space}}},
    {"win+left", {{{XKB_KEY_Super_L}, XKB_KEY_Left}}},
    {"+", {{{}, XKB_KEY_plus}}},
    {"ctrl++", {{{XKB_KEY_Control_L}, XKB_KEY_plus}}},
    {"ctrl+plus", {{{XKB_KEY_Control_L}, XKB_KEY_plus}}},
    {"ctrl+-", {{{XKB_KEY_Control_L}, XKB_KEY_minus}}},
    {" ", {{{}, XKB_KEY_space}}},
    {"ctrl+k ctrl+s", {{{XKB_KEY_Control_L}, XKB_KEY_k}, {{XKB_KEY_Control_L}, XKB_KEY_s}}},
    {"shift", {{{}, XKB_KEY_Shift_L}}},
    {"altgr+e", {{{XKB_KEY_ISO_Level3_Shift}, XKB_KEY_e}}},
    {"é", {{{}, XKB_KEY_eacute}}},
    {"я", {{{}, 0x0100044F}}},
    {"Cyrillic_ya", {{{}, XKB_KEY_Cyrillic_ya}}},
    {"XF86AudioPlay", {{{}, XKB_KEY_XF86AudioPlay}}},
};

struct Refusal {
  std::string text;
  std::string says;
};

const Refusal kRefusals[] = {
    {"", "no key was named"},
    {"   ", "only spaces"},
    {"ctrl+", "ends with '+'"},
    {"entr", "enter"},
    {"ctrl+pagedwn", "pagedown"},
    {"escpe", "escape"},
    {"a+b", "is not a modifier"},
    {"qwertz", "there is no key named 'qwertz'"},
    {"ctrl+\xff", "there is no key named"},
};

}  // namespace

TEST_CASE("keys are read as their names, aliases and characters say") {
  for (const Case& c : kCases) {
    INFO(c.text);
    const auto parsed = parse_keys(c.text);
    REQUIRE(parsed.ok());
    REQUIRE(parsed->size() == c.chords.size());
    for (std::size_t i = 0; i < c.chords.size(); ++i) {
      CHECK((*parsed)[i].modifiers == c.chords[i].first);
      CHECK((*parsed)[i].key == c.chords[i].second);
    }
  }
}

TEST_CASE("what is no key is refused with what is near to it") {
  for (const Refusal& c : kRefusals) {
    INFO(c.text);
    const auto parsed = parse_keys(c.text);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.error().code == Code::InvalidArgument);
    CHECK_THAT(parsed.error().message, Catch::Contains(c.says));
  }
}

TEST_CASE("every name in the table is unique and stands for a keysym") {
  std::vector<std::string_view> seen;
  for (const KeyName& key : key_names()) {
    INFO(key.name);
    CHECK(key.keysym != XKB_KEY_NoSymbol);
    CHECK(std::count(seen.begin(), seen.end(), key.name) == 0);
    seen.push_back(key.name);
  }
}

TEST_CASE("modifiers are told from other keys") {
  CHECK(modifier_of_name("ctrl") == XKB_KEY_Control_L);
  CHECK(modifier_of_name("super") == XKB_KEY_Super_L);
  CHECK_FALSE(modifier_of_name("enter"));
  CHECK_FALSE(modifier_of_name("capslock"));
  CHECK_FALSE(modifier_of_name("nonsense"));
}
