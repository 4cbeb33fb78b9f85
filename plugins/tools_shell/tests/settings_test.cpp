// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>

#include "arguments.hpp"
#include "environment.hpp"
#include "settings.hpp"

using namespace gantry;
using namespace gantry::shell;

TEST_CASE("variables of the daemon, of the loader and secrets are not passed on") {
  for (const char* name :
       {"GANTRY_TOKEN", "gantry_x", "WINDIE_RUNS", "LD_PRELOAD", "OPENAI_API_KEY", "GITHUB_TOKEN",
        "DB_PASSWORD", "MY_SECRET", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "A B", "", "1A"}) {
    INFO(name);
    CHECK_FALSE(may_pass(name));
  }
  for (const char* name : {"EDITOR", "http_proxy", "JAVA_HOME"}) {
    INFO(name);
    CHECK(may_pass(name));
  }
  CHECK(may_set("MY_TOKEN"));
  CHECK_FALSE(may_set("LD_LIBRARY_PATH"));
  CHECK_FALSE(may_set("GANTRY_CONFIG"));
}

TEST_CASE("a configuration that names such a variable is refused") {
  const auto refused = [](const char* json) {
    const auto settings = read_settings(json);
    REQUIRE_FALSE(settings.ok());
    return settings.error();
  };
  CHECK(refused(R"({"environment":{"pass":["PATHS","OPENAI_API_KEY"]}})")
            .message.find("OPENAI_API_KEY") != std::string::npos);
  CHECK(refused(R"({"environment":{"set":{"LD_PRELOAD":"x"}}})").code == Code::InvalidArgument);
  CHECK(read_settings(R"({"environment":{"pass":["EDITOR"],"set":{"A":"b"}}})").ok());
}

TEST_CASE("commands get a short list of variables") {
  ::setenv("GANTRY_SECRET_THING", "hush", 1);
  ::setenv("SOME_EDITOR", "ed", 1);
  EnvironmentSettings settings;
  settings.pass = {"SOME_EDITOR"};
  settings.set = {{"COLOUR", "no"}};
  const auto lines = command_environment(settings, "/nowhere/x");
  const auto has = [&](const char* line) {
    return std::find(lines.begin(), lines.end(), line) != lines.end();
  };
  CHECK(has("HOME=/nowhere/x"));
  CHECK(has("SOME_EDITOR=ed"));
  CHECK(has("COLOUR=no"));
  CHECK(lines.size() <= 9);
  for (const std::string& line : lines) CHECK(line.find("hush") == std::string::npos);
  ::unsetenv("GANTRY_SECRET_THING");
  ::unsetenv("SOME_EDITOR");
}

TEST_CASE("arguments are read or refused with the reason") {
  const auto run = [](const char* json) { return read_run(Json(json)); };
  CHECK(run(R"({"command":"ls","run_in_background":true,"explanation":"x"})")->run_in_background);
  CHECK(*run(R"({"command":"ls","terminate_after_seconds":1.5})")->terminate_after_seconds == 1.5);
  for (const char* wrong :
       {R"({"command":""})", R"({"command":" \n"})", R"({})", R"({"command":7})",
        R"({"command":"a\u0000b"})", R"({"command":"ls","wait":-1})",
        R"({"command":"ls","terminate_after_seconds":-1})"}) {
    INFO(wrong);
    CHECK(run(wrong).error().code == Code::InvalidArgument);
  }
  CHECK_FALSE(run((R"({"command":")" + std::string(200'000, 'x') + R"("})").c_str()).ok());
  CHECK_FALSE(read_process(Json(R"({"action":"log","offset":-1})")).ok());
}

TEST_CASE("keys are bytes, signals, or the end of input") {
  CHECK(key_of("Enter")->bytes == "\n");
  CHECK(key_of("x")->bytes == "x");
  CHECK(key_of("C-c")->signal == SIGINT);
  CHECK(key_of("C-d")->eof);
  CHECK(key_of("F13").error().message.find("enter, tab") != std::string::npos);
}
