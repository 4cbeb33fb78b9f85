// SPDX-License-Identifier: Apache-2.0
// Names of applications, of windows that were just opened, and of words in a picture; arguments.
#include <catch2/catch.hpp>
#include <gantry/llm/json.hpp>

#include "app_match.hpp"
#include "app_watch.hpp"
#include "grounding.hpp"
#include "parameters.hpp"

using namespace gantry;
using namespace gantry::desk;

namespace {

AppInfo app(std::string id, std::string name, std::string program,
            std::vector<std::string> categories = {}) {
  AppInfo out;
  out.id = std::move(id);
  out.plain_name = name;
  out.name = std::move(name);
  out.program = std::move(program);
  out.categories = std::move(categories);
  return out;
}

AppList desktop() {
  AppList list;
  list.apps = {app("chromium", "Chromium", "chromium", {"WebBrowser"}),
               app("featherpad", "FeatherPad", "featherpad", {"TextEditor"}),
               app("org.xfce.mousepad", "Mousepad", "mousepad", {"TextEditor"}),
               app("org.xfce.mousepad-settings", "Text Editor Settings", "mousepad", {"Settings"}),
               app("xterm", "XTerm", "xterm", {"TerminalEmulator"}),
               app("xterm-uni", "UXTerm", "uxterm", {"TerminalEmulator"})};
  list.apps[1].generic_name = list.apps[2].generic_name = "Text Editor";
  list.apps[1].keywords = {"Plaintext"};
  list.for_types = {{"text/plain", {"org.xfce.mousepad", "featherpad"}, true}};
  return list;
}

/// The id, the program with a $ in front, the candidates in brackets, or nothing.
std::string meant(const std::string& name, const AppList& list, bool programs = true) {
  const AppChoice choice = choose_app(name, list, programs);
  if (choice.app != nullptr) return choice.app->id;
  if (!choice.program.empty()) return '$' + choice.program;
  if (choice.candidates.empty()) return {};
  std::string out = "[";
  for (const AppInfo* one : choice.candidates) out += (out == "[" ? "" : " ") + one->id;
  return out + ']';
}

}  // namespace

TEST_CASE("a name means what is called so, then a kind, then what is nearly called so") {
  struct Case {
    const char* name;
    const char* meant;
  };
  const AppList list = desktop();
  for (const Case& one : std::vector<Case>{
           {"mousepad", "org.xfce.mousepad"},
           {"Mousepad", "org.xfce.mousepad"},
           {"org.xfce.mousepad.desktop", "org.xfce.mousepad"},
           {"the editor", "org.xfce.mousepad"},
           {"my text editor app", "org.xfce.mousepad"},
           {"browser", "chromium"},
           {"terminal", "[xterm xterm-uni]"},
           {"mousepda", "org.xfce.mousepad"},
           {"feather", "featherpad"},
           {"plaintext", "featherpad"},
           {"text edit", "org.xfce.mousepad-settings"},
           {"xtern", "xterm"},
           {"photoshop", ""},
           {"mail", ""},
           {"pad", ""},
       }) {
    INFO(one.name);
    CHECK(meant(one.name, list) == one.meant);
  }
}

TEST_CASE("several that are called alike are all named, and none is taken") {
  AppList list = desktop();
  list.apps.push_back(app("other.mousepad", "Mousepad", "mousepad"));
  CHECK(meant("mousepad", list) == "[org.xfce.mousepad other.mousepad]");
  CHECK(meant("xter", list) == "xterm");
  list.apps.push_back(app("xterm2", "XTerm two", "xterm2"));
  CHECK(meant("xter", list) == "[xterm xterm2]");
}

TEST_CASE("what menus hide is meant only by its exact name") {
  AppList list = desktop();
  list.apps[1].listed = false;
  CHECK(meant("featherpad", list) == "featherpad");
  CHECK(meant("feather", list).empty());
}

TEST_CASE("an executable on PATH is taken by its exact name, where that is allowed") {
  AppList list = desktop();
  list.program_path = "/usr/bin/xeyes";
  CHECK(meant("xeyes", list) == "$xeyes");
  CHECK(meant("xeyes", list, false).empty());
  CHECK(meant("mousepad", list) == "org.xfce.mousepad");
  list.apps.resize(4);
  CHECK(meant("terminal", list) == "$x-terminal-emulator");
}

TEST_CASE("a kind asks for its media type") {
  CHECK(question_for("the Editor").media_types == std::vector<std::string>{"text/plain"});
  CHECK(question_for("xeyes").media_types.empty());
  CHECK(question_for("xeyes").program == "xeyes");
  CHECK(question_for("terminal").program == "x-terminal-emulator");
  AppList list = desktop();
  list.for_types.clear();
  CHECK(meant("editor", list) == "[featherpad org.xfce.mousepad]");
}

TEST_CASE("a window is the application's by its process, else by its name") {
  const Launch launch{70, "pad", "mousepad", {{"w:1", "old", "other", 5, true, false}}};
  std::vector<observed::Window> now = launch.before;
  CHECK(look_for(launch, now, false).window == nullptr);
  now.push_back({"w:2", "mail", "mail", 9, false, false});
  CHECK(look_for(launch, now, false).window == nullptr);
  CHECK(look_for(launch, now, false).other == &now[1]);
  now.push_back({"w:3", "pad", "mousepad", 71, false, false});
  CHECK(look_for(launch, now, false).window == &now[2]);
  now.push_back({"w:4", "pad", "", 70, false, false});
  CHECK(look_for(launch, now, false).window == &now[3]);
}

TEST_CASE("an instance that runs already counts once the process has handed over") {
  const Launch launch{70, "mousepad", "mousepad", {{"w:1", "old", "mousepad", 5, true, false}}};
  CHECK(look_for(launch, launch.before, false).window == nullptr);
  const Sighting sighting = look_for(launch, launch.before, true);
  REQUIRE(sighting.window != nullptr);
  CHECK_FALSE(sighting.opened);
  const Launch other{70, "mousepad", "mousepad", {{"w:1", "old", "mail", 5, true, false}}};
  CHECK(look_for(other, other.before, true).window == nullptr);
}

TEST_CASE("words are found where they stand side by side") {
  const std::vector<Word> words{{"Save", 1, 10, 10, 30, 12},  {"all", 1, 50, 10, 20, 12},
                                {"Save", 2, 10, 40, 30, 12},  {"as", 2, 50, 40, 20, 12},
                                {"other", 3, 10, 70, 30, 12}, {"Unsaved", 4, 10, 90, 50, 12}};
  REQUIRE(find_words(words, "save as").size() == 1);
  CHECK(find_words(words, "save as").front().x == 40);
  CHECK(find_words(words, "save as").front().y == 46);
  CHECK(find_words(words, "save").size() == 2);
  CHECK(find_words(words, "oth").size() == 1);
  CHECK(find_words(words, "all Save").empty());  // on two lines
  CHECK(find_words(words, "print").empty());
  CHECK(find_words({}, "x").empty());
}

namespace {

constexpr Parameter kParameters[] = {
    {"action", Kind::Text, "What.", true, "a|b"},
    {"x", Kind::Integer, "Where.", false, {}, -10, 10},
    {"s", Kind::Number, "Seconds.", false, {}, 0, 2},
    {"f", Kind::Flag, "Whether."},
    {"k", Kind::Keys, "Keys."},
};

std::string problem(const char* arguments) {
  return problem_of(kParameters, llm::parse_or_null(arguments).as_object());
}

}  // namespace

TEST_CASE("arguments that do not fit are told by name") {
  CHECK(problem(R"({"action":"a","x":3,"s":1.5,"f":true,"k":["c","d"]})").empty());
  CHECK(problem(R"({"action":"b","x":3.0,"k":"c","f":null})").empty());
  CHECK(problem(R"({"x":1})") == "action is required");
  CHECK(problem(R"({"action":null})") == "action is required");
  CHECK(problem(R"({"action":"c"})") == "action must be one of a, b");
  CHECK(problem(R"({"action":1})") == "action must be a text");
  CHECK(problem(R"({"action":"a","x":1.5})") == "x must be a whole number");
  CHECK(problem(R"({"action":"a","x":11})") == "x must be from -10 to 10, found 11");
  CHECK(problem(R"({"action":"a","s":1e300})").starts_with("s must be from 0 to 2"));
  CHECK(problem(R"({"action":"a","f":1})") == "f must be true or false");
  CHECK(problem(R"({"action":"a","k":[1]})") == "k must be a text or a list of texts");
  CHECK(problem(R"({"action":"a","y":1})") ==
        "there is no argument 'y'; it takes action, x, s, f, k");
}

TEST_CASE("the schema says the same and allows nothing else") {
  const auto schema = llm::parse_or_null(input_schema(kParameters));
  CHECK(schema.at("additionalProperties") == boost::json::value(false));
  CHECK(codec::serialize(schema.at("required")) == R"(["action"])");
  CHECK(codec::serialize(schema.at_pointer("/properties/action/enum")) == R"(["a","b"])");
  CHECK(codec::serialize(schema.at_pointer("/properties/x/maximum")) == "10");
  CHECK(codec::serialize(schema.at_pointer("/properties/k/type")) == R"(["string","array"])");
}
