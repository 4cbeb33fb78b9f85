// SPDX-License-Identifier: Apache-2.0
// What is installed, in folders of the test's own.
#include <catch2/catch.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <filesystem>

#include "catalog.hpp"

using namespace gantry;
using namespace gantry::apps;

namespace {

using Words = std::vector<std::string>;

std::string entry(const std::string& lines) {
  return "[Desktop Entry]\nType=Application\n" + lines;
}

/// A system with programs and entries; DISPLAY is set unless a test takes it away.
struct System {
  testkit::TempDir folder;
  Settings settings{{{"HOME", "PATH", "DISPLAY", "XDG_*"}, {}}, {"term", "-e"}};
  Words more{"DISPLAY=:7"};

  System() {
    program("pad");
    program("vi");
    program("term");
    app("data/applications/a.vi.desktop",
        "Name=Vi\nExec=vi %F\nTerminal=true\nMimeType=text/plain;");
    app("data/applications/pad.desktop", "Name=Pad\nExec=pad %U\nMimeType=text/plain;");
    app("data/applications/kde/write.desktop", "Name=Write\nExec=pad -w\nMimeType=text/plain;");
    app("data/applications/gone.desktop", "Name=Gone\nExec=pad\nTryExec=no-such-program");
  }
  void app(const std::string& path, const std::string& lines) const {
    (void)folder.write(path, entry(lines));
  }
  void program(const std::string& name) const {
    const auto path = folder.write("bin/" + name, "#!/bin/sh\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  [[nodiscard]] std::string path(const std::string& below) const {
    return folder.path().string() + '/' + below;
  }
  [[nodiscard]] Catalog catalog() const {
    Words variables{"HOME=" + path("home"),
                    "PATH=" + path("bin"),
                    "SECRET_API_KEY=s",
                    "XDG_DATA_HOME=" + path("mine"),
                    "XDG_DATA_DIRS=" + path("data") + ":not/absolute",
                    "XDG_CONFIG_HOME=" + path("config"),
                    "XDG_CURRENT_DESKTOP=XFCE"};
    variables.insert(variables.end(), more.begin(), more.end());
    return {Environment(variables), settings};
  }
  [[nodiscard]] Words ids() const {
    Words out;
    for (const AppInfo& app : catalog().list({}).apps) out.push_back(app.id);
    return out;
  }
  [[nodiscard]] AppsForType for_text() const {
    return catalog().list({{"text/plain"}, ""}).for_types.at(0);
  }
};

}  // namespace

TEST_CASE("entries of all folders are there, and what cannot run is not") {
  const System system;
  CHECK(system.ids() == Words{"a.vi", "kde-write", "pad"});
}

TEST_CASE("the user's entry takes the place of the system's") {
  const System system;
  system.app("mine/applications/pad.desktop", "Name=My pad\nExec=vi");
  system.app("mine/applications/kde-write.desktop", "Name=Write\nExec=pad\nHidden=true");
  const AppList list = system.catalog().list({});
  REQUIRE(list.apps.size() == 2);
  CHECK(list.apps[1].name == "My pad");
}

TEST_CASE("nobody chose: what has a window goes first, and it is not called chosen") {
  const System system;
  CHECK(system.for_text().apps == Words{"kde-write", "pad", "a.vi"});
  CHECK_FALSE(system.for_text().chosen);
}

TEST_CASE("the cache of the system has an order") {
  const System system;
  (void)system.folder.write("data/applications/mimeinfo.cache",
                            "[MIME Cache]\ntext/plain=pad.desktop;gone.desktop;a.vi.desktop;\n");
  CHECK(system.for_text().apps == Words{"pad", "kde-write", "a.vi"});
}

TEST_CASE("what the user chose goes first, whatever it is") {
  const System system;
  (void)system.folder.write("config/mimeapps.list",
                            "[Default Applications]\ntext/plain=none.desktop;a.vi.desktop\n"
                            "[Removed Associations]\ntext/plain=pad.desktop;\n");
  CHECK(system.for_text().apps == Words{"a.vi", "kde-write"});
  CHECK(system.for_text().chosen);
  // The desktop's own list counts more.
  (void)system.folder.write("config/xfce-mimeapps.list",
                            "[Default Applications]\ntext/plain=pad.desktop\n");
  CHECK(system.for_text().apps.front() == "pad");
}

TEST_CASE("a program is looked for on PATH by its name alone") {
  const System system;
  const auto found = [&](const char* name) {
    return system.catalog().list({{}, name}).program_path;
  };
  CHECK(found("vi") == system.path("bin/vi"));
  CHECK(found("no-such-program").empty());
  CHECK(found("../bin/vi").empty());
  CHECK(found("").empty());
}

TEST_CASE("a command has the program's path and what the application may have of the environment") {
  System system;
  system.settings.environment.set = {"DISPLAY=:9", "EXTRA=1"};
  const auto command = system.catalog().command({"kde-write", ""});
  REQUIRE(command.ok());
  CHECK(command->program == system.path("bin/pad"));
  CHECK(command->arguments == Words{"-w"});
  CHECK(command->folder == "/");  // there is no home
  CHECK(command->environment.get("DISPLAY") == ":9");
  CHECK(command->environment.get("EXTRA") == "1");
  CHECK(command->environment.get("XDG_CURRENT_DESKTOP") == "XFCE");
  CHECK(command->environment.get("SECRET_API_KEY").empty());
  for (const std::string& variable : command->environment.variables()) {
    CHECK(variable.find("SECRET") == std::string::npos);
  }
}

TEST_CASE("what runs in a terminal gets one") {
  System system;
  const auto command = system.catalog().command({"a.vi", ""});
  REQUIRE(command.ok());
  CHECK(command->program == system.path("bin/term"));
  CHECK(command->arguments == Words{"-e", "vi"});
  system.settings.terminal = {"no-such-terminal"};
  CHECK(system.catalog().command({"a.vi", ""}).error().code == Code::FailedPrecondition);
  system.settings.terminal.clear();
  CHECK(system.catalog().command({"a.vi", ""}).error().code == Code::FailedPrecondition);
}

TEST_CASE("what cannot be started says why") {
  System system;
  const auto code = [&](const LaunchAppRequest& request) {
    const auto command = system.catalog().command(request);
    return command.ok() ? Code::Ok : command.error().code;
  };
  CHECK(code({"none", ""}) == Code::NotFound);
  CHECK(code({"", "none"}) == Code::NotFound);
  CHECK(code({"", "vi"}) == Code::Ok);
  CHECK(code({"", "/bin/sh"}) == Code::InvalidArgument);
  CHECK(code({"pad", "vi"}) == Code::InvalidArgument);
  CHECK(code({"", ""}) == Code::InvalidArgument);
  system.more.clear();
  CHECK(code({"pad", ""}) == Code::Unavailable);
  system.more = {"WAYLAND_DISPLAY=wayland-0"};
  CHECK(code({"pad", ""}) == Code::Unavailable);  // these settings do not pass it on
  system.settings.environment.pass.emplace_back("WAYLAND_*");
  CHECK(code({"pad", ""}) == Code::Ok);
}

TEST_CASE("a variable to set needs a name and a value") {
  CHECK(read_settings(R"({"environment":{"set":["A=b","C="]}})").ok());
  CHECK_FALSE(read_settings(R"({"environment":{"set":["A"]}})").ok());
  CHECK_FALSE(read_settings(R"({"environment":{"set":["=b"]}})").ok());
}
