// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "command.hpp"

using namespace gantry::rules;

namespace {

std::string verb_name(Verb verb) {
  constexpr const char* kNames[] = {
      "list", "describe", "click",   "double", "right", "type",       "press", "up",     "down",
      "open", "switch",   "waitfor", "wait",   "read",  "screenshot", "help",  "unknown"};
  return kNames[static_cast<int>(verb)];
}

/// verb what|where|into|number, one step after the other.
std::string shown(const std::vector<Step>& steps) {
  std::string out;
  for (const Step& step : steps) {
    if (!out.empty()) out += " ; ";
    out += verb_name(step.verb) + ' ' + step.what + '|' + step.where + '|' + step.into + '|' +
           std::to_string(step.number);
    if (step.at) out += '@' + std::to_string(step.at->x) + ',' + std::to_string(step.at->y);
  }
  return out;
}

}  // namespace

TEST_CASE("commands are read as they are meant") {
  const auto [text, expected] = GENERATE(table<const char*, const char*>({
      {"List windows.", "list |||0"},
      {"which windows are open?", "list |||0"},
      {"click Save", "click Save|||0"},
      {"Click on the Save button in Notes", "click Save button|Notes||0"},
      {"click Sign in", "click Sign in|||0"},
      {"click Sign in in the Mail window", "click Sign in|Mail||0"},
      {"click \"Print in colour\" in Word", "click Print in colour|Word||0"},
      {"click 10,20", "click |||0@10,20"},
      {"click at 10, 20", "click |||0@10,20"},
      {"double click report.txt", "double report.txt|||0"},
      {"type hello and goodbye", "type hello and goodbye|||0"},
      {"type hello and press enter", "type hello|||0 ; press enter|||0"},
      {"type \"a; b then c\" into Body in Notes then press enter",
       "type a; b then c|Notes|Body|0 ; press enter|||0"},
      {"type it's fine into 'First name'", "type it's fine||First name|0"},
      {"type \"x\" in Search", "type x||Search|0"},
      {"write \xE2\x80\x9Chi there\xE2\x80\x9D into Body", "type hi there||Body|0"},
      {"press ctrl+s", "press ctrl+s|||0"},
      {"scroll", "down |||0"},
      {"scroll up 4", "up |||4"},
      {"open Firefox, click New Tab", "open Firefox|||0 ; click New Tab|||0"},
      {"could you please open the calculator?", "open calculator|||0"},
      {"switch to the Notes window", "switch |Notes||0"},
      {"wait for Saved to appear", "waitfor Saved|||0"},
      {"wait for Saved in Notes up to 5 seconds", "waitfor Saved|Notes||5000"},
      {"wait 3 seconds", "wait |||3000"},
      {"wait for 3 seconds", "wait |||3000"},
      {"wait 2s", "wait |||2000"},
      {"read Total in Invoice", "read Total|Invoice||0"},
      {"take a screenshot of Notes", "screenshot |Notes||0"},
      {"take a screenshot of the screen", "screenshot |||0"},
      {"what is on the screen?", "describe |||0"},
      {"describe", "describe |||0"},
      {"hello", "help |||0"},
      {"a\nclick b", "unknown a|||0 ; click b|||0"},
      {"click", "unknown click|||0"},
      {"typewriter", "unknown typewriter|||0"},
      {"wait a bit", "unknown wait a bit|||0"},
      {"", ""},
  }));
  CHECK(shown(parse_command(text)) == expected);
}

TEST_CASE("numbers and ordinals are choices, other words are not") {
  const auto [text, expected] = GENERATE(table<const char*, std::size_t>({
      {"2", 2},
      {" the second one. ", 2},
      {"number 3", 3},
      {"#1", 1},
      {"first", 1},
      {"2)", 2},
      {"0", 0},
      {"100", 0},
      {"click 2", 0},
      {"", 0},
  }));
  CHECK(parse_choice(text) == expected);
}

TEST_CASE("any text can be a command") {
  for (const std::string& text :
       {std::string("\"unclosed"), std::string("''"), std::string("click \"\""), std::string(";;;"),
        std::string("then then"), std::string("and and and"), std::string("\xE2\x80\x9C"),
        std::string("type into"), std::string("type into X"), std::string(", , ,"),
        std::string("click in"), std::string("wait for"), std::string("press +"),
        std::string(5000, '\'')}) {
    INFO(text.substr(0, 40));
    CHECK(parse_command(text).size() <= 10);
  }
}
