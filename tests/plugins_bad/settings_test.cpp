// SPDX-License-Identifier: Apache-2.0
// Settings that are written while the daemon runs.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <gantry/testkit/temp_dir.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "helpers.hpp"

namespace gantry {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWrite = "gantry.kernel.settings.write/1";
constexpr const char* kSettings = "gantry.kernel.settings/1";

std::string words_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

void expect(const std::string& text, const std::string& part) {
  INFO(text);
  INFO(part);
  CHECK(text.find(part) != std::string::npos);
}

/// A kernel with a state folder of its own.
class Writing {
 public:
  explicit Writing(const std::string& plugins = "plugins: {actor_a: {config: {volume: 3}}}",
                   const std::string& kernel_keys = "") {
    testkit::KernelSetup setup;
    setup.config = "kernel: {state_dir: '" + (dir_.path() / "state").string() + "'" + kernel_keys +
                   "}\n" + plugins;
    config_ = setup.config;
    setup.plugin_dir = test::build_dir() + "/tests/plugins_bad";
    setup.written_settings = true;
    kernel_ = std::make_unique<testkit::InProcessKernel>(std::move(setup));
    const auto started = kernel_->start();
    INFO((started.ok() ? std::string() : started.error().message));
    REQUIRE(started.ok());
  }

  std::string ask(const std::string& contract, const std::string& request = "{}") {
    const auto answer = kernel_->call_json(contract, request);
    return answer.ok()
               ? *answer
               : std::string(code_name(answer.error().code)) + ": " + answer.error().message;
  }
  /// Writes settings of actor_a.
  std::string write(const std::string& keys, const std::string& more = "") {
    return ask(kWrite, R"({"change":{"plugins":{"actor_a":{"config":)" + keys + "}}}" + more + "}");
  }
  std::string echo() { return ask("test.a.echo/1"); }
  std::string in_force() { return ask("gantry.kernel.config/1"); }

  [[nodiscard]] fs::path file() const { return dir_.path() / "state/settings.yaml"; }
  testkit::InProcessKernel& kernel() { return *kernel_; }
  Result<void> reload() { return kernel_->reload(config_); }

 private:
  testkit::TempDir dir_;
  std::string config_;
  std::unique_ptr<testkit::InProcessKernel> kernel_;
};

TEST_CASE("a live key that is written is in force at once, and kept in a file of the user's own") {
  Writing daemon;
  const auto lives = daemon.echo().substr(daemon.echo().find("\"lives\""));
  const std::string answer = daemon.write(R"({"greeting":"salve"})", R"(,"by":"kim")");
  expect(answer, R"({"key":"plugins.actor_a.config.greeting","before":"hello","after":"salve",)"
                 R"("live":true})");
  expect(daemon.echo(), R"("greeting":"salve")");
  expect(daemon.echo(), lives);  // it was told, not restarted
  expect(words_of(daemon.file()), "greeting: \"salve\"");
  struct stat info {};
  REQUIRE(stat(daemon.file().c_str(), &info) == 0);
  CHECK((info.st_mode & 07777U) == 0600);
  CHECK(test::eventually([&] { return test::has_line(daemon.kernel(), "by=kim"); }));
  // The reload reads the file like every other.
  REQUIRE(daemon.reload().ok());
  expect(daemon.echo(), R"("greeting":"salve")");
}

TEST_CASE("a key that needs a restart waits for the next reload, and is named until then") {
  Writing daemon;
  const std::string before = daemon.echo();
  const std::string answer = daemon.write(R"({"volume":7,"greeting":"ave"})");
  expect(answer, R"("after":7,"live":false)");
  expect(answer, R"("waiting":["plugins.actor_a.config.volume"])");
  expect(daemon.echo(), R"("volume":3)");
  expect(daemon.echo(), R"("greeting":"ave")");
  expect(daemon.in_force(), R"("volume":3)");
  REQUIRE(daemon.reload().ok());
  expect(daemon.echo(), R"("volume":7)");
  expect(daemon.ask(kSettings), R"("waiting":[])");
}

TEST_CASE("what is wrong is refused with every finding, and changes nothing") {
  Writing daemon;
  const std::string answer = daemon.write(R"({"greeting":"x","volume":99,"colour":"red"})");
  expect(answer, "invalid_argument: nothing was changed: ");
  expect(answer, "plugins.actor_a.config.colour: unknown key");
  expect(answer, "plugins.actor_a.config.volume: found int 99, allowed: int in 0…11");
  expect(daemon.echo(), R"("greeting":"hello")");
  CHECK_FALSE(fs::exists(daemon.file()));
}

TEST_CASE("only settings of open plugins can be written, not what is loaded or where things are") {
  Writing daemon("plugins: {actor_a: {}, actor_b: false}");
  const auto refused = [&](const std::string& change) {
    return daemon.ask(kWrite, "{\"change\":" + change + "}");
  };
  expect(refused(R"({"plugins":{"actor_idle":{"config":{}}}})"), "\"changes\":[]");  // says nothing
  expect(refused(R"({"plugins":{"actor_idle":{"config":{"greeting":"x"}}}})"),
         "plugins.actor_idle: the configuration's files do not list this plugin");
  expect(refused(R"({"plugins":{"actor_b":{"config":{"greeting":"x"}}}})"), "is not enabled");
  expect(refused(R"({"plugins":{"actor_a":{"path":"/tmp/x"}}})"),
         "plugins.actor_a.path: only the configuration's files may say this");
  expect(refused(R"({"plugins":{"actor_a":{"enabled":false}}})"), "actor_a.enabled: only the");
  expect(refused(R"({"kernel":{"plugin_dirs":["/tmp"]}})"), "kernel.plugin_dirs: only the");
  expect(refused(R"({"log":{"file":"/tmp/x"}})"), "log.file: only the");
  expect(refused(R"({"profile":"server"})"), "profile");
  expect(refused(R"({"colour":"red"})"), "unknown key");
  expect(refused("[1]"), "found a list of 1, allowed: a map");
  CHECK_FALSE(fs::exists(daemon.file()));
}

TEST_CASE("a secret is kept, never shown, and stays when it comes back as it is shown") {
  Writing daemon;
  const std::string answer = daemon.write(R"({"password":"opensesame","greeting":"hi"})");
  CHECK(answer.find("opensesame") == std::string::npos);
  expect(answer, R"("after":"***")");
  CHECK(daemon.ask(kSettings).find("opensesame") == std::string::npos);
  CHECK(test::eventually([&] { return test::has_line(daemon.kernel(), "password"); }));
  CHECK_FALSE(test::has_line(daemon.kernel(), "opensesame"));
  daemon.write(R"({"password":"***","greeting":"hello again"})");
  expect(words_of(daemon.file()), "password: \"opensesame\"");
  daemon.write(R"({"password":"***","greeting":"last"})", R"(,"replace":true)");
  expect(words_of(daemon.file()), "password: \"opensesame\"");
}

TEST_CASE("the tag of the configuration tells that a secret is another one, and not which") {
  Writing daemon;
  const auto tag = [&] {
    const std::string text = daemon.in_force();
    const auto at = text.find("\"tag\":\"");
    REQUIRE(at != std::string::npos);
    return text.substr(at, text.find('"', at + 7) - at);
  };
  const std::string first = tag();
  CHECK(tag() == first);
  daemon.write(R"({"password":"opensesame"})");
  const std::string second = tag();
  CHECK(second != first);
  daemon.write(R"({"password":"***"})");
  CHECK(tag() == second);
  daemon.write(R"({"password":"another"})");
  CHECK(tag() != second);
  CHECK(tag() != first);
}

TEST_CASE("text of a client names no variable of the environment, and no file of a secret") {
  Writing daemon;
  REQUIRE(std::getenv("PATH") != nullptr);  // NOLINT(concurrency-mt-unsafe)
  daemon.write(R"({"greeting":"${PATH}"})");
  expect(daemon.echo(), R"("greeting":"${PATH}")");
  REQUIRE(daemon.reload().ok());
  expect(daemon.echo(), R"("greeting":"${PATH}")");
  expect(daemon.write(R"({"password":"file:/etc/passwd"})"),
         "password: only the configuration's files may name a secret's file");
}

TEST_CASE("null takes back what was written, and nothing left means no file") {
  Writing daemon;
  daemon.write(R"({"greeting":"salve"})");
  CHECK(fs::exists(daemon.file()));
  daemon.write(R"({"greeting":null})");
  expect(daemon.echo(), R"("greeting":"hello")");
  CHECK_FALSE(fs::exists(daemon.file()));
  // What the files say anyway is not written either.
  daemon.write(R"({"volume":3})");
  CHECK_FALSE(fs::exists(daemon.file()));
}

TEST_CASE("who replaces all settings may send back the whole configuration") {
  Writing daemon;
  daemon.write(R"({"greeting":"salve"})");
  std::string all = daemon.in_force();  // {"config":{…}}
  all = all.substr(all.find(':') + 1);
  all.pop_back();
  const auto at = all.find("\"salve\"");
  REQUIRE(at != std::string::npos);
  all.replace(at, 7, "\"vale\"");
  expect(daemon.ask(kWrite, R"({"replace":true,"change":)" + all + "}"), R"("after":"vale")");
  expect(daemon.echo(), R"("greeting":"vale")");
  const std::string kept = words_of(daemon.file());
  INFO(kept);
  CHECK(kept.find("kernel") == std::string::npos);
  CHECK(kept.find("volume") == std::string::npos);
  daemon.ask(kWrite, R"({"replace":true,"change":{}})");
  expect(daemon.echo(), R"("greeting":"hello")");
  CHECK_FALSE(fs::exists(daemon.file()));
}

TEST_CASE("a key that is for the files is refused, unless it says what is so anyway") {
  Writing daemon;
  expect(daemon.write(R"({"asks":"test.b.echo/1","greeting":"salve"})"),
         "actor_a.config.asks: only the configuration's files may say this");
  expect(daemon.echo(), R"("greeting":"hello")");
  expect(daemon.write(R"({"asks":"","greeting":"salve"})"), "\"changes\":[{");
  expect(daemon.echo(), R"("greeting":"salve")");
}

TEST_CASE("of two who write upon the same revision, the second is refused") {
  Writing daemon;
  const std::string settings = daemon.ask(kSettings);
  const auto at = settings.find("\"revision\":");
  REQUIRE(at != std::string::npos);
  const std::string revision = settings.substr(at, settings.find(',', at) - at);
  expect(daemon.write(R"({"greeting":"first"})", "," + revision), "\"changes\":[{");
  expect(daemon.write(R"({"greeting":"second"})", "," + revision), "aborted: ");
  expect(daemon.echo(), R"("greeting":"first")");
}

TEST_CASE("the configuration can forbid it, and then what was written does not count") {
  Writing daemon("plugins: {actor_a: {}}", ", write_settings: false");
  expect(daemon.write(R"({"greeting":"salve"})"),
         "failed_precondition: settings cannot be written");
  fs::create_directories(daemon.file().parent_path());
  std::ofstream(daemon.file()) << "plugins: {actor_a: {config: {greeting: smuggled}}}\n";
  REQUIRE(daemon.reload().ok());
  expect(daemon.echo(), R"("greeting":"hello")");
}

TEST_CASE("a settings file that others may change, or that says more than it may, is refused") {
  Writing daemon;
  daemon.write(R"({"greeting":"salve"})");
  fs::permissions(daemon.file(), fs::perms::others_write, fs::perm_options::add);
  const auto open = daemon.reload();
  REQUIRE_FALSE(open.ok());
  expect(open.error().message, "others may change these settings");
  std::ofstream(daemon.file()) << "plugins: {actor_a: {trust: in-process}}\n";
  fs::permissions(daemon.file(), fs::perms::owner_read | fs::perms::owner_write);
  const auto more = daemon.reload();
  REQUIRE_FALSE(more.ok());
  expect(more.error().message, "actor_a.trust: only the configuration's files may say this");
  expect(daemon.echo(), R"("greeting":"salve")");  // as it was
}

TEST_CASE("a kernel that keeps no settings says so") {
  auto kernel = test::start_kernel("plugins: {actor_a: {}}");
  const auto answer = kernel->call_json(kWrite, R"({"change":{"log":{"level":"warn"}}})");
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().code == Code::FailedPrecondition);
}

}  // namespace
}  // namespace gantry
