// SPDX-License-Identifier: Apache-2.0
// The example scenarios, driven through the engine to success and to failure; and what recordings
// of that say.
#include <catch2/catch.hpp>
#include <gantry/contracts/observe.hpp>
#include <gantry/testkit/kernel.hpp>

#include <yaml-cpp/yaml.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace gantry::conformance {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A daemon with the mock desktop, and a folder for its recordings.
class Stage {
 public:
  Stage() : kernel_({.config = configuration()}) {
    fs::remove_all(folder());
    REQUIRE(kernel_.start().ok());
  }
  ~Stage() { fs::remove_all(folder()); }

  json::value run(const std::string& tool, const std::string& arguments = "{}") {
    ObserverToolRequest request;
    request.tool = tool;
    request.arguments = Json(arguments);
    request.caller = "test";
    const auto answer = kernel_.host().bus().call_wait<ObserverTool>(request);
    INFO(tool << " " << arguments);
    REQUIRE(answer.ok());
    return json::parse((*answer)->result.text);
  }

  /// "tool {…}"
  json::value line(const std::string& text) {
    const std::size_t blank = text.find(' ');
    return run(text.substr(0, blank), text.substr(blank + 1));
  }

  void load(const std::string& file) {
    const json::value loaded = run("load_scenario", R"({"path": ")" + file + "\"}");
    INFO(json::serialize(loaded));
    REQUIRE(loaded.at("ok").as_bool());
    CHECK_FALSE(loaded.as_object().contains("warnings"));
  }

  void drive(const YAML::Node& calls) {
    for (const YAML::Node& call : calls) {
      const json::value answer = line(call.as<std::string>());
      INFO(call.as<std::string>() << "\n" << json::serialize(answer));
      CHECK(answer.at("ok").as_bool());
    }
  }

  Host& host() { return kernel_.host(); }
  static fs::path folder() {
    return fs::temp_directory_path() / ("gantry-stage-" + std::to_string(::getpid()));
  }

  static fs::path references() { return folder() / "references"; }

 private:
  static std::string configuration() {
    return "plugins:\n  mock: {config: {scenario_roots: [\"" GANTRY_SCENARIOS
           "\"]}}\n"
           "  guard: {}\n  observation: {config: {tracing: {dir: \"" +
           folder().string() + "\"}, reference_roots: [\"" + references().string() + "\"]}}\n";
  }

  testkit::InProcessKernel kernel_;
};

YAML::Node ways() { return YAML::LoadFile(GANTRY_OBSERVER_TABLES "/scenarios.yaml"); }

TEST_CASE("every example scenario can be brought to success and to failure") {
  Stage stage;
  for (const auto& scenario : ways()) {
    const std::string file = scenario.first.as<std::string>();
    CHECK(scenario.second["success"]);
    CHECK(scenario.second["failure"]);
    for (const auto& way : scenario.second) {
      const std::string outcome = way.first.as<std::string>();
      INFO(file << " to " << outcome);
      stage.load(file);
      CHECK(stage.run("assert_state").at("oracles").at("outcome") == "open");
      stage.drive(way.second);
      const json::value end = stage.run("assert_state");
      INFO(json::serialize(end));
      CHECK(end.at("oracles").at("outcome").as_string() == outcome.c_str());
      CHECK(end.at("all_passed").as_bool() == (outcome == "success"));
    }
  }
}

TEST_CASE("every example file has a way in the table") {
  const YAML::Node table = ways();
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(GANTRY_SCENARIOS)) {
    INFO(entry.path());
    CHECK(table[entry.path().filename().string()]);
    ++files;
  }
  CHECK(files >= 6);
}

TEST_CASE("an oracle that passed by is remembered") {
  Stage stage;
  stage.load("order_form.yaml");
  stage.drive(ways()["order_form.yaml"]["open"]);
  const json::value end = stage.run("assert_state");
  CHECK(end.at("oracles").at("outcome") == "open");
  CHECK(end.at("oracles").at("failure_step").is_int64());
  CHECK(end.at("oracles").at("success_step").is_null());
}

TEST_CASE("a recording is replayed without a difference, and shows one where there is one") {
  Stage stage;
  stage.load("login.yaml");
  const json::value started = stage.run("trace_start", R"({"label": "sign in"})");
  REQUIRE(started.at("ok").as_bool());
  CHECK(stage.run("trace_start").at("error").at("message") == "trace already active");
  stage.run("observe_window");
  stage.drive(ways()["login.yaml"]["success"]);
  stage.run("assert_state");
  CHECK(stage.run("trace_status").at("step_count") == 6);
  const json::value stopped = stage.run("trace_stop");
  CHECK(stopped.at("step_count") == 6);
  CHECK_FALSE(stopped.as_object().contains("write_error"));
  const std::string folder(started.at("dir").as_string());
  const std::string lines = text_of(folder + "/trace.jsonl");
  INFO(lines);
  CHECK(lines.find("mira") != std::string::npos);
  CHECK(lines.find("anchor-7") == std::string::npos);  // it went into a password field
  CHECK(lines.find("\"outcome\":\"success\"") != std::string::npos);
  CHECK(fs::exists(folder + "/screenshots/step-00001-full.png"));
  CHECK(fs::exists(folder + "/screenshots/step-00005-window.png"));
  CHECK_FALSE(fs::exists(folder + "/screenshots/step-00002-full.png"));

  const std::string path = R"({"path": ")" + folder + R"(", "mode": "verify")";
  SECTION("from the same state it goes the same way") {
    stage.load("login.yaml");
    const json::value replay =
        stage.run("replay_start", path + R"(, "secrets": {"4": "anchor-7"}})");
    INFO(json::serialize(replay));
    const std::string id =
        R"({"replay_id": ")" + std::string(replay.at("replay_id").as_string()) + "\"}";
    for (int i = 0; i < 6; ++i) {
      const json::value step = stage.run("replay_step", id);
      INFO(json::serialize(step));
      CHECK(step.at("divergence").is_null());
    }
    CHECK(stage.run("replay_step", id).at("finished").as_bool());
    CHECK(stage.run("replay_status", id).at("divergences").as_array().empty());
    CHECK(stage.run("replay_stop", id).at("stopped").as_bool());
    CHECK(stage.run("replay_stop", id).at("error").at("message") == "unknown replay_id");
  }
  SECTION("from another state it stops at the first difference") {
    const json::value replay = stage.run("replay_start", path + R"(, "on_divergence": "stop"})");
    const std::string id =
        R"({"replay_id": ")" + std::string(replay.at("replay_id").as_string()) + "\"}";
    stage.run("replay_step", id);
    const json::value step = stage.run("replay_step", id);
    INFO(json::serialize(step));
    CHECK(step.at("finished").as_bool());
    CHECK(step.at("divergence").as_array().at(0).at("path") == "ok");
  }
  SECTION("resume takes what was recorded") {
    const json::value replay = stage.run("replay_start", path + R"(, "on_divergence": "resume"})");
    const std::string id =
        R"({"replay_id": ")" + std::string(replay.at("replay_id").as_string()) + "\"}";
    stage.run("replay_step", id);
    const json::value step = stage.run("replay_step", id);
    CHECK(step.at("resumed").as_bool());
    CHECK(step.at("actual_summary").at("ok").as_bool());
    CHECK_FALSE(step.at("finished").as_bool());
  }
  SECTION("it becomes a page that loads nothing") {
    const auto page = stage.host().bus().call_wait<TraceExport>({folder});
    REQUIRE(page.ok());
    CHECK((*page)->calls == 6);
    CHECK((*page)->problems.empty());
    CHECK((*page)->html.find("http:") == std::string::npos);
    CHECK((*page)->html.find("https:") == std::string::npos);
    CHECK((*page)->html.find("<script") == std::string::npos);
    CHECK((*page)->html.find("data:image/png;base64,") != std::string::npos);
    CHECK((*page)->html.find("anchor-7") == std::string::npos);
  }
}

TEST_CASE("recordings and references outside the folders are refused alike") {
  Stage stage;
  const json::value there = stage.run("replay_start", R"({"path": "/etc"})");
  const json::value nowhere = stage.run("replay_start", R"({"path": "/etc-none"})");
  CHECK(there.at("error").at("code") == "BadRequest");
  std::string message(there.at("error").at("message").as_string());
  message.insert(message.find("/etc") + 4, "-none");
  CHECK(message == std::string(nowhere.at("error").at("message").as_string()));
  const json::value similar = stage.run(
      "assert_state",
      R"({"predicate": [{"kind": "screenshot_similar", "reference_path": "/etc/hostname"}]})");
  CHECK_FALSE(similar.at("all_passed").as_bool());
}

TEST_CASE("a window is similar to its own recorded picture") {
  Stage stage;
  stage.load("login.yaml");
  const std::string folder(stage.run("trace_start").at("dir").as_string());
  stage.run("list_windows");
  stage.run("trace_stop");
  const std::string similar =
      R"({"predicate": [{"kind": "screenshot_similar", "reference_path": ")" + folder +
      R"(/screenshots/step-00001-window.png"}]})";
  const json::value outside = stage.run("assert_state", similar);
  INFO(json::serialize(outside));
  CHECK_FALSE(outside.at("all_passed").as_bool());  // not in a reference folder

  const std::string reference = (Stage::references() / "login.png").string();
  fs::create_directories(Stage::references());
  fs::copy_file(folder + "/screenshots/step-00001-window.png", reference);
  const std::string known =
      R"({"predicate": [{"kind": "screenshot_similar", "reference_path": ")" + reference + '"';
  const json::value inside = stage.run("assert_state", known + "}]}");
  INFO(json::serialize(inside));
  CHECK(inside.at("all_passed").as_bool());
  const json::value& observed = inside.at("results").at(0).at("observed");
  CHECK(observed.at("ssim").to_number<double>() == Approx(1));
  // What is typed changes the picture: with the highest demand it is another one.
  stage.run("set_value", R"({"selector": "//Edit[name=\"User\"]", "value": "captain"})");
  const json::value changed = stage.run("assert_state", known + R"(, "min_ssim": 0.9999}]})");
  INFO(json::serialize(changed));
  CHECK_FALSE(changed.at("all_passed").as_bool());
}

}  // namespace
}  // namespace gantry::conformance
