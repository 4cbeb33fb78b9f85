// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "observe/health.hpp"
#include "observe/log.hpp"
#include "observe/measured.hpp"
#include "observe/metrics.hpp"
#include "test_files.hpp"

namespace gantry::observe {
namespace {

using namespace std::chrono_literals;

class MemoryOutput final : public LogOutput {
 public:
  explicit MemoryOutput(std::vector<std::string>& lines) : lines_(lines) {}
  bool write(const std::string& line, std::string&) override {
    lines_.push_back(line);
    return true;
  }

 private:
  std::vector<std::string>& lines_;
};

constexpr std::int64_t kNoon = 1'700'000'000'123'000'000;

LogRecord record(std::string_view message, std::span<const LogField> fields = {}) {
  LogRecord out;
  out.wall_ns = kNoon;
  out.plugin = "demo";
  out.message = message;
  out.fields = fields;
  return out;
}

TEST_CASE("console and JSON lines") {
  const LogField fields[] = {{"path", "/a b"}, {"token", "hunter2", true}, {"n", "3"}};
  auto one = record("opened", fields);
  one.trace_lo = 255;
  CHECK(format_record(one, LogFormat::kConsole) ==
        "2023-11-14T22:13:20.123Z INFO  demo: opened path=\"/a b\" token=*** n=3 "
        "trace=000000000000000000000000000000ff");
  CHECK(format_record(one, LogFormat::kJson) ==
        "{\"time\":\"2023-11-14T22:13:20.123Z\",\"level\":\"info\",\"plugin\":\"demo\","
        "\"message\":\"opened\",\"fields\":{\"path\":\"/a b\",\"token\":\"***\",\"n\":\"3\"},"
        "\"trace\":\"000000000000000000000000000000ff\"}");
}

TEST_CASE("a record is one line of valid text whatever it holds") {
  const std::string hostile = "a\nb\x1b[2J \xff\xc0\x80 \"q\" \xf0\x9f\x98\x80";
  const std::string console = format_record(record(hostile), LogFormat::kConsole);
  CHECK(console.find_first_of("\n\x1b") == std::string::npos);
  CHECK(console.find("\"q\"") != std::string::npos);
  const std::string json = format_record(record(hostile), LogFormat::kJson);
  CHECK(json.find("a\\nb\\u001b[2J \\ufffd\\ufffd\\ufffd \\\"q\\\" \xf0\x9f\x98\x80") !=
        std::string::npos);
}

TEST_CASE("levels are a plugin's own and can change while running") {
  std::vector<std::string> lines;
  LogSettings settings;
  settings.level = LogLevel::kWarn;
  settings.levels["noisy"] = LogLevel::kError;
  Logger log(settings, std::make_unique<MemoryOutput>(lines), [] { return kNoon; });
  auto& quiet = log.source("quiet");
  auto& noisy = log.source("noisy");
  log.write(quiet, LogLevel::kInfo, "no");
  log.write(quiet, LogLevel::kWarn, "yes");
  log.write(noisy, LogLevel::kWarn, "no");
  settings.level = LogLevel::kDebug;
  settings.levels.clear();
  log.apply(settings);
  log.write(quiet, LogLevel::kDebug, "now");
  log.write(noisy, LogLevel::kDebug, "too");
  log.close(5s);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].find("quiet: yes") != std::string::npos);
  CHECK(lines[2].find("noisy: too") != std::string::npos);
}

TEST_CASE("a measured time is written without its noise") {
  CHECK(measured(30.770608) == "30.8");
  CHECK(measured(0.04) == "0.0");
  CHECK(measured(1234.0) == "1234.0");
}

TEST_CASE("one place may not flood the log, and what was left out is counted") {
  std::vector<std::string> lines;
  std::int64_t now = kNoon;
  LogSettings settings;
  settings.rate_limit = 3;
  Logger log(settings, std::make_unique<MemoryOutput>(lines), [&] { return now; });
  auto& source = log.source("demo");
  for (int i = 0; i < 10; ++i) log.write(source, 77, record("again"));
  log.write(source, 78, record("another place"));
  now += 1'000'000'000;
  log.write(source, 77, record("again"));
  CHECK(log.suppressed() == 7);
  log.close(5s);
  REQUIRE(lines.size() == 5);
  CHECK(lines[3].find("another place") != std::string::npos);
  CHECK(lines[4].find("suppressed=7") != std::string::npos);
}

TEST_CASE("the last records can be asked for, from one on and by level") {
  std::vector<std::string> lines;
  LogSettings settings;
  settings.rate_limit = 0;
  Logger log(settings, std::make_unique<MemoryOutput>(lines), [] { return kNoon; });
  LogSource& source = log.source("demo");
  log.write(source, LogLevel::kInfo, "one", {{"token", "hunter2", true}});
  log.write(source, LogLevel::kWarn, "t\xffwo", {{"path", "/a"}});
  log.write(source, LogLevel::kDebug, "below the level");
  log.write(source, LogLevel::kInfo, "three");
  std::uint64_t last = 0;
  CHECK(log.recent(0, 0, LogLevel::kInfo, last).empty());
  CHECK(last == 3);
  const auto first = log.recent(0, 1, LogLevel::kInfo, last);
  REQUIRE(first.size() == 1);
  CHECK(first[0].fields[0].second == "***");
  CHECK(last == 1);
  const auto rest = log.recent(last, 9, LogLevel::kInfo, last);
  REQUIRE(rest.size() == 2);
  CHECK(rest[0].message == "t\xEF\xBF\xBDwo");
  CHECK(rest[1].message == "three");
  CHECK(log.recent(0, 9, LogLevel::kWarn, last).size() == 1);
  for (int i = 0; i < 1000; ++i) log.write(source, LogLevel::kInfo, "x" + std::to_string(i));
  CHECK(log.recent(0, 2000, LogLevel::kInfo, last).size() == 500);
  CHECK(last == 1003);
}

TEST_CASE("a full disk loses lines, says so, and recovers") {
  const test::TempDir dir;
  std::vector<std::string> troubles;
  // The name that is written to becomes a real file later, as a disk does that gets space again.
  const auto link = dir.path() / "log";
  std::filesystem::create_symlink("/dev/full", link);
  Logger log(
      {}, make_file_output(link.string(), 1 << 20, 3), [] { return kNoon; },
      [&](const std::string& reason, std::uint64_t) { troubles.push_back(reason); });
  auto& source = log.source("demo");
  log.write(source, LogLevel::kInfo, "lost one");
  log.write(source, LogLevel::kInfo, "lost two");
  REQUIRE(log.flush(5s));
  CHECK(log.lost() == 2);
  REQUIRE(troubles.size() == 1);
  CHECK(troubles[0].find("log") != std::string::npos);
  std::filesystem::remove(link);
  log.write(source, LogLevel::kInfo, "kept");
  log.close(5s);
  CHECK(log.written() == 1);
  REQUIRE(troubles.size() == 2);
  CHECK(troubles[1].empty());
  std::string reason;
  CHECK(config::read_file(link, 1000, reason)->find("kept") != std::string::npos);
}

TEST_CASE("a log file is rotated by size and old ones are kept up to the number") {
  const test::TempDir dir;
  const auto path = (dir.path() / "log").string();
  const auto output = make_file_output(path, 100, 2);
  std::string reason;
  for (int i = 0; i < 20; ++i) REQUIRE(output->write(std::string(49, 'x'), reason));
  const auto size = [](const std::string& file) { return std::filesystem::file_size(file); };
  CHECK(size(path) == 100);
  CHECK(size(path + ".1") == 100);
  CHECK(size(path + ".2") == 100);
  CHECK(!std::filesystem::exists(path + ".3"));
  const auto again = make_file_output(path, 100, 2);  // goes on where the file ends
  REQUIRE(again->write("y", reason));
  CHECK(size(path) == 2);
}

TEST_CASE("an output that hangs does not hold up close, and the queue is bounded") {
  struct Hanging final : LogOutput {
    explicit Hanging(std::shared_ptr<std::atomic<bool>> go) : go_(std::move(go)) {}
    bool write(const std::string&, std::string&) override {
      go_->wait(false);
      return true;
    }
    std::shared_ptr<std::atomic<bool>> go_;
  };
  auto go = std::make_shared<std::atomic<bool>>(false);
  LogSettings settings;
  settings.rate_limit = 0;
  {
    Logger log(settings, std::make_unique<Hanging>(go), [] { return kNoon; });
    auto& source = log.source("demo");
    for (int i = 0; i < 9000; ++i) log.write(source, LogLevel::kInfo, "x");
    CHECK(log.lost() >= 9000 - 8192 - 1);
    log.close(10ms);
  }
  *go = true;
  go->notify_all();
}

TEST_CASE("Prometheus text") {
  Metrics metrics;
  metrics.get(MetricKind::kCounter, {"gantry_a_total", "Things \\ done.", "route=/x,code=200"})
      .add(2);
  metrics.get(MetricKind::kCounter, {"gantry_a_total", "", "route=/x,code=200"}).add(1);
  metrics.get(MetricKind::kCounter, {"gantry_a_total", "", ""}).add(-5);
  auto& gauge = metrics.get(MetricKind::kGauge, {"gantry_b", "Level.", ""});
  gauge.set(7.5);
  gauge.add(-1);
  auto& histogram = metrics.get(MetricKind::kHistogram, {"gantry_c", "Seconds.", ""}, {0.1, 1});
  histogram.add(0.05);
  histogram.add(0.1);
  histogram.add(5);
  CHECK(
      metrics.prometheus() ==
      "# HELP gantry_a_total Things \\\\ done.\n# TYPE gantry_a_total counter\n"
      "gantry_a_total 0\n"
      "gantry_a_total{route=\"/x\",code=\"200\"} 3\n"
      "# HELP gantry_b Level.\n# TYPE gantry_b gauge\ngantry_b 6.5\n"
      "# HELP gantry_c Seconds.\n# TYPE gantry_c histogram\n"
      "gantry_c_bucket{le=\"0.1\"} 2\ngantry_c_bucket{le=\"1\"} 2\ngantry_c_bucket{le=\"+Inf\"} 3\n"
      "gantry_c_sum 5.15\ngantry_c_count 3\n");
}

TEST_CASE("a metric asked for with another kind is not shown and does not disturb the first") {
  Metrics metrics;
  metrics.get(MetricKind::kCounter, {"x", "", ""}).add(1);
  metrics.get(MetricKind::kGauge, {"x", "", ""}).set(99);
  CHECK(metrics.prometheus() == "# HELP x \n# TYPE x counter\nx 1\n");
}

TEST_CASE("names and labels become legal") {
  CHECK(legal_name("2 fast-a.b") == "_2_fast_a_b");
  CHECK(render_labels("a=x\"y\\,z,b-c=1") == "a=\"x\\\"y\\\\,z\",b_c=\"1\"");
  CHECK(render_labels("").empty());
}

TEST_CASE("process numbers are there and plausible") {
  std::string out;
  collect_process(out);
  CHECK(out.find("process_resident_memory_bytes ") != std::string::npos);
  CHECK(resident_bytes() > 1'000'000);
}

TEST_CASE("health sums up and keeps since when") {
  std::int64_t now = 10;
  Health health([&] { return now; });
  CHECK(health.report().ready == false);
  health.set_ready(true);
  health.set({"x11", "display", HealthState::kOk, "", "", 0});
  CHECK(health.report().state == HealthState::kOk);
  now = 20;
  health.set({"x11", "display", HealthState::kFailed, "gone", "start it", 0});
  now = 30;
  health.set({"x11", "display", HealthState::kFailed, "still gone", "start it", 0});
  const auto report = health.report();
  CHECK(report.state == HealthState::kDegraded);
  CHECK(report.ready);
  REQUIRE(report.components.size() == 1);
  CHECK(report.components[0].reason == "still gone");
  CHECK(report.components[0].since_wall_ns == 20);
  health.set_live(false);
  CHECK(!health.report().ready);
  health.forget("x11");
  CHECK(health.report().components.empty());
}

}  // namespace
}  // namespace gantry::observe
