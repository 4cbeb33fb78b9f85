// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "spoken_words.hpp"

namespace gantry::stt_pocketsphinx {
namespace {

constexpr std::size_t kMostPhrases = 400;
constexpr double kGivenWeight = 3;  // of a phrase that is on the screen now

/// X stands for a name, N for a number, K for keys.
constexpr std::array kWithName{
    "click X",
    "click on X",
    "click the X",
    "click X button",
    "click the X button",
    "click the X link",
    "click the X tab",
    "click the X field",
    "click the X menu",
    "click the X checkbox",
    "click the X item",
    "double click X",
    "double click the X",
    "right click X",
    "right click the X",
    "press X",
    "press the X button",
    "type into X",
    "open X",
    "open the X",
    "open the X menu",
    "launch X",
    "start X",
    "close X",
    "switch to X",
    "switch to the X window",
    "focus X",
    "focus the X field",
    "go to X",
    "go to the X window",
    "look at X",
    "describe X",
    "describe the X window",
    "wait for X",
    "wait for the X",
    "read X",
    "read the X",
    "read the X field",
    "screenshot of X",
    "take a screenshot of X",
    "select X",
    "select the X tab",
    "minimize X",
    "maximize X",
    "please click X",
    "please open X",
    "X",
};
/// After any command with a name.
constexpr std::array kInWindow{"click the B tab in X",
                               "double click the B item in X",
                               "right click the B in X",
                               "read the B field in X",
                               "click B in X",
                               "click the B button in X",
                               "read B in X",
                               "type into B in X",
                               "wait for B in X",
                               "describe B in X"};
constexpr std::array kWithNumber{
    "scroll up N",    "scroll down N",      "scroll up N times", "scroll down N times",
    "wait N seconds", "wait for N seconds", "the N one",         "number N",
    "click at N N",   "up to N seconds",    "click number N",
};
constexpr std::array kWithKeys{"press K", "please press K", "hit K"};
constexpr std::array kPlain{
    "list windows",
    "list the windows",
    "list all windows",
    "show windows",
    "which windows are open",
    "what windows are open",
    "describe",
    "describe the screen",
    "describe the window",
    "describe this window",
    "what is on the screen",
    "what's on the screen",
    "look at the screen",
    "scroll up",
    "scroll down",
    "scroll to the top",
    "scroll to the bottom",
    "screenshot",
    "take a screenshot",
    "take a screenshot of the screen",
    "take a screenshot of the window",
    "help",
    "stop",
    "cancel",
    "cancel that",
    "never mind",
    "yes",
    "no",
    "yes please",
    "no thanks",
    "thank you",
    "undo",
    "undo that",
    "go back",
    "close the window",
    "close this window",
    "minimize the window",
    "maximize the window",
    "next",
    "previous",
    "the first",
    "the second",
    "the third",
    "the first one",
    "the second one",
    "the third one",
    "wait",
    "wait a second",
    "please",
    "repeat that",
    "okay",
};
constexpr std::array kKeys{
    "enter",
    "return",
    "escape",
    "tab",
    "space",
    "backspace",
    "delete",
    "insert",
    "home",
    "end",
    "page up",
    "page down",
    "up",
    "down",
    "left",
    "right",
    "the up arrow",
    "the down arrow",
    "the left arrow",
    "the right arrow",
    "the enter key",
    "the escape key",
    "the tab key",
    "control s",
    "control c",
    "control v",
    "control x",
    "control z",
    "control a",
    "control f",
    "control n",
    "control o",
    "control p",
    "control q",
    "control w",
    "control t",
    "control y",
    "control shift t",
    "control shift s",
    "control alt t",
    "control alt delete",
    "alt tab",
    "alt f four",
    "alt f",
    "shift tab",
    "control plus",
    "control minus",
    "control home",
    "control end",
    "f one",
    "f two",
    "f three",
    "f four",
    "f five",
    "f six",
    "f seven",
    "f eight",
    "f nine",
    "f ten",
    "f eleven",
    "f twelve",
};
/// What most windows have.
constexpr std::array kCommon{
    "save",     "save as",     "open",         "close",        "cancel",     "okay",
    "apply",    "yes",         "no",           "next",         "back",       "finish",
    "delete",   "remove",      "add",          "edit",         "copy",       "paste",
    "cut",      "undo",        "redo",         "search",       "find",       "replace",
    "settings", "preferences", "options",      "help",         "about",      "file",
    "view",     "tools",       "window",       "format",       "insert",     "print",
    "new",      "new file",    "new tab",      "new window",   "name",       "password",
    "username", "email",       "address",      "subject",      "message",    "body",
    "send",     "reply",       "forward",      "inbox",        "submit",     "log in",
    "log out",  "sign in",     "sign out",     "start",        "stop",       "play",
    "pause",    "refresh",     "reload",       "home",         "menu",       "download",
    "upload",   "share",       "editor",       "terminal",     "browser",    "calculator",
    "calendar", "mail",        "notes",        "files",        "documents",  "pictures",
    "music",    "text editor", "file manager", "task manager", "desktop",    "title",
    "status",   "date",        "time",         "language",     "network",    "sound",
    "display",  "zoom in",     "zoom out",     "full screen",  "select all", "properties",
    "continue", "quit",        "exit",
};

using Words = std::vector<std::string>;

/// The words of a template with names put in for its capital letters.
Words filled(std::string_view pattern, const Words& name, const Words& other = {}) {
  Words out;
  while (!pattern.empty()) {
    const std::size_t end = std::min(pattern.find(' '), pattern.size());
    const std::string_view word = pattern.substr(0, end);
    pattern.remove_prefix(std::min(end + 1, pattern.size()));
    if (word == "X" || word == "N" || word == "K") {
      out.insert(out.end(), name.begin(), name.end());
    } else if (word == "B") {
      out.insert(out.end(), other.begin(), other.end());
    } else {
      out.emplace_back(word);
    }
  }
  return out;
}

Words split(std::string_view text) { return filled(text, {}); }

/// Commands are joined by "then" or "and"; the other one of a pair is one of these, in turn.
constexpr std::array kOthers{
    "press enter",      "press escape",     "press tab",           "press control s",
    "click save",       "click okay",       "take a screenshot",   "scroll down",
    "list windows",     "wait two seconds", "read the name",       "open the menu",
    "close the window", "type into name",   "describe the window",
};

void add_joined(const UseSentence& use, const Words& command, std::size_t turn, double weight) {
  const Words other = split(kOthers.at(turn % kOthers.size()));
  const char* const word = turn % 2 == 0 ? "then" : "and";
  Words before = command;
  before.emplace_back(word);
  before.insert(before.end(), other.begin(), other.end());
  use(before, weight);
  Words after = other;
  after.emplace_back(word);
  after.insert(after.end(), command.begin(), command.end());
  use(after, weight);
}

void add_name(const UseSentence& use, const Words& name, double weight) {
  std::size_t turn = name.size() + name.front().size();
  for (const char* pattern : kWithName) {
    use(filled(pattern, name), weight);
    add_joined(use, filled(pattern, name), ++turn, weight / 4);
  }
  std::size_t other = 0;
  for (const char* pattern : kInWindow) {
    other = (other + name.size() * 7 + 3) % kCommon.size();
    use(filled(pattern, name, split(kCommon.at(other))), weight);
  }
}

void add_numbers(const UseSentence& use) {
  std::vector<unsigned> numbers;
  for (unsigned i = 0; i <= 20; ++i) numbers.push_back(i);
  for (unsigned i = 30; i <= 100; i += 10) numbers.push_back(i);
  for (const unsigned more : {25U, 45U, 150U, 200U, 250U, 300U, 400U, 500U, 640U, 800U, 1000U}) {
    numbers.push_back(more);
  }
  for (const unsigned number : numbers) {
    for (const char* pattern : kWithNumber) use(filled(pattern, number_words(number)), 1);
  }
}

}  // namespace

CommandModel command_model(const std::vector<std::string>& vocabulary) {
  LanguageModel model;
  CommandModel out = for_each_command(
      vocabulary, [&model](const Words& words, double weight) { model.add(words, weight); });
  out.model = std::move(model);
  return out;
}

CommandModel for_each_command(const std::vector<std::string>& vocabulary, const UseSentence& use) {
  CommandModel out;
  std::size_t turn = 0;
  for (const char* plain : kPlain) {
    use(split(plain), 8);
    add_joined(use, split(plain), ++turn, 2);
  }
  for (const char* keys : kKeys) {
    for (const char* pattern : kWithKeys) use(filled(pattern, split(keys)), 1);
    use(filled("press K", split(keys)), 4);
    for (int i = 0; i < 4; ++i) add_joined(use, filled("press K", split(keys)), turn += 7, 1);
  }
  for (const char* name : kCommon) add_name(use, split(name), 1);
  add_numbers(use);
  std::set<Words> known;
  for (const std::string& phrase : vocabulary) {
    if (out.phrases == kMostPhrases) break;
    SpokenPhrase words = spoken(phrase);
    out.skipped += words.skipped;
    if (words.words.empty() || !known.insert(words.words).second) continue;
    add_name(use, words.words, kGivenWeight);
    ++out.phrases;
  }
  return out;
}

}  // namespace gantry::stt_pocketsphinx
