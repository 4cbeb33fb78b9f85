// SPDX-License-Identifier: Apache-2.0
// The lines of recordings, what is compared of them, their files, and structural similarity.
#include <catch2/catch.hpp>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "fake_desktop.hpp"
#include "replay.hpp"
#include "trace_files.hpp"
#include "trace_html.hpp"
#include "trace_record.hpp"

#include <gantry/picture/ssim.hpp>

namespace gantry::observation {
namespace {

namespace fs = std::filesystem;

TraceRow row_of(std::int64_t seq) {
  TraceRow row;
  row.seq = seq;
  row.tool = "list_windows";
  row.summary = R"({"ok":true,"count":2})";
  return row;
}

TEST_CASE("times are UTC with microseconds") {
  CHECK(iso_time(1'795'818'058'894'648'123) == "2026-11-27T22:20:58.894648+00:00");
}

TEST_CASE("secrets are not recorded, however deep") {
  const std::vector<std::string> keys{"password", "Authorization"};
  CHECK(recorded_args(R"({"_caller":"x","a":{"PASSWORD":"p"},"b":[{"authorization":"q"},3]})", keys,
                      4096) ==
        R"({"a":{"PASSWORD":"<redacted>"},"b":[{"authorization":"<redacted>"},3]})");
  CHECK(recorded_args(R"({"text":"t","args":{"text":"t"},"keys":"k"})", {"text"}, 4096) ==
        R"({"args":{"text":"<redacted>"},"keys":"k","text":"<redacted>"})");
  const CleanText clean = [](std::string_view text) {
    return text == "s3cret" ? std::string("[gone]") : std::string(text);
  };
  CHECK(recorded_args(R"({"a":"s3cret","b":[{"c":["s3cret",1,true]}],"d":"x"})", keys, 4096,
                      clean) == R"({"a":"[gone]","b":[{"c":["[gone]",1,true]}],"d":"x"})");
  CHECK(cleaned_args(R"({"_a":"s3cret","password":"p"})", clean) ==
        R"({"_a":"[gone]","password":"p"})");
  CHECK(cleaned_args("[broken", clean) == "{}");
  const std::string cut = recorded_args(R"({"text":")" + std::string(5000, 'x') + "\"}", {}, 99);
  CHECK(cut.starts_with(R"({"__truncated":true,"preview":"{\"text\":\"xxx)"));
}

TEST_CASE("a summary keeps what replays compare") {
  CHECK(summary_of(R"({"tree":{"name":"private"},"ok":false,"step_id":7,)"
                   R"("error":{"code":"WindowGone","message":"m"},)"
                   R"("target":{"selector":"S","window_uid":"w","bounds":{}}})") ==
        R"({"ok":false,"step_id":7,"target":{"selector":"S","window_uid":"w"},)"
        R"("error":{"code":"WindowGone"}})");
}

TEST_CASE("a torn last line is left out and reported") {
  TraceText out;
  read_trace_lines(row_line(row_of(2)) + row_line(row_of(1)) + "rubbish\n{\"trace_seq\":3", "f",
                   out);
  REQUIRE(out.rows.size() == 2);
  CHECK(out.rows[0].seq == 1);
  REQUIRE(out.problems.size() == 2);
  CHECK(out.problems[0].starts_with("f:3: left out"));
  CHECK(out.problems[1] == "f:4: the last line was cut off; it is left out");
}

TEST_CASE("each tool is compared by its own rules") {
  const std::string then = R"({"ok":true,"count":2,"ambiguous_matches":1})";
  CHECK(compare_summaries("list_windows", then, R"({"ok":true,"count":2})", true).empty());
  CHECK(compare_summaries("list_windows", then, R"({"ok":true,"count":3})", true).size() == 1);
  CHECK(compare_summaries("list_windows", then, R"({"ok":true,"count":3})", false).empty());
  const auto differences = compare_summaries(
      "find_element", then, R"({"ok":false,"error":{"code":"ElementNotFound"}})", true);
  REQUIRE(differences.size() == 3);
  CHECK(differences[1].path == "error.code");
  CHECK(differences[1].got == "\"ElementNotFound\"");
  CHECK(differences[2].path == "ambiguous_matches>0");
}

TEST_CASE("a picture is compared by its size, whatever route it was recorded from") {
  // GET /api/screenshot answers without "ok"; its repetition has it.
  const std::string then = summary_of(R"({"data":"AAAA","width":20,"height":10})", {}, true);
  CHECK(then == R"({"ok":true,"width":20,"height":10})");
  const std::string now =
      summary_of(R"({"ok":true,"step_id":9,"data":"BBBB","width":20,"height":10})", {}, true);
  CHECK(compare_summaries("get_screenshot", then, now, true).empty());
  CHECK(compare_summaries("get_screenshot", then, now, false).empty());
  const auto wider =
      compare_summaries("get_full_screenshot", then, R"({"ok":true,"width":21,"height":10})", true);
  REQUIRE(wider.size() == 1);
  CHECK(wider[0].path == "width");
  CHECK(compare_summaries("get_screenshot", then, R"({"ok":false})", false).size() == 1);
  // A recording from before that says nothing about it.
  CHECK(compare_summaries("get_screenshot", R"({"width":20,"height":10})", now, true).empty());
}

TEST_CASE("ids of replays are never used twice") {
  Replays replays;
  CHECK((*replays.open(Replay{}))->id == "rep:1");
  CHECK((*replays.open(Replay{}))->id == "rep:2");
  CHECK(replays.close("rep:1"));
  CHECK((*replays.open(Replay{}))->id == "rep:3");
  CHECK_FALSE(replays.find("rep:1").ok());
}

TEST_CASE("a recording moves to the next file at its size, and is read as one") {
  const std::string folder =
      fs::temp_directory_path() / ("gantry-trace-" + std::to_string(::getpid()));
  fs::remove_all(folder);
  TraceHeader header;
  header.trace_id = "trace-1";
  TraceFiles files(folder, header, {600, 2});
  REQUIRE(files.open().ok());
  for (int i = 1; i <= 12; ++i) REQUIRE(files.append(row_line(row_of(i))).ok());
  REQUIRE(files.close(footer_line({})).ok());
  CHECK((fs::status(folder).permissions() & fs::perms::others_all) == fs::perms::none);
  const auto trace = load_trace(folder);
  REQUIRE(trace.ok());
  REQUIRE(trace->rows.back().seq == 12);
  CHECK(trace->rows.front().seq > 1);  // the oldest file went
  CHECK(trace->rows.size() == static_cast<std::size_t>(13 - trace->rows.front().seq));
  CHECK(trace->problems.back().find("older files were dropped") != std::string::npos);
  fs::remove_all(folder);
}

/// A folder of its own for recordings, with nothing above it yet.
struct Recorded {
  Recorded() {
    settings.tracing.dir = root + "/deep/traces";
    settings.tracing.screenshot_every_n_actions = 0;
    fs::remove_all(root);
  }
  ~Recorded() { fs::remove_all(root); }

  const std::string root =
      fs::temp_directory_path() / ("gantry-made-" + std::to_string(::getpid()));
  Settings settings;
};

TEST_CASE("folders above the recordings are made for their owner alone, and told whole") {
  Recorded recorded;
  fs::create_directories(recorded.root);
  fs::permissions(recorded.root, fs::perms(0755));
  const fs::path was = fs::current_path();
  fs::current_path(recorded.root);
  recorded.settings.tracing.dir = "./deep/traces";
  tests::Bench bench(recorded.settings);
  const auto started = bench.run("trace_start");
  fs::current_path(was);
  CHECK(started.ok);
  CHECK(tests::has(started, R"("dir":")" + recorded.root + R"(/deep/traces/trace-)"));
  for (const char* made : {"/deep", "/deep/traces"}) {
    INFO(made);
    CHECK(fs::status(recorded.root + made).permissions() == fs::perms::owner_all);
  }
  CHECK(fs::status(recorded.root).permissions() == fs::perms(0755));  // it was there
}

TEST_CASE("a replay names the secrets that it lacks, and takes them by whole numbers only") {
  Recorded recorded;
  tests::Bench bench(recorded.settings);
  bench.desktop.a11y_tree->nodes[2].password = true;
  CHECK(bench.run("trace_start").ok);
  (void)bench.run("list_windows");
  CHECK(bench.run("type_text", R"({"text":"hunter-2024"})").ok);
  const std::string stopped = bench.run("trace_stop").result.text;
  const std::size_t at = stopped.find(recorded.root);
  REQUIRE(at != std::string::npos);
  const std::string path = R"("path":")" + stopped.substr(at, stopped.find('"', at) - at) + '"';
  const auto started = bench.run("replay_start", "{" + path + "}");
  CHECK(tests::has(started, R"("missing_secrets":["2"])"));
  CHECK(tests::has(started, R"({\"2\": )"));
  CHECK_FALSE(tests::has(bench.run("replay_step", R"({"replay_id":"rep:1"})"), "hint"));
  const auto lacking = bench.run("replay_step", R"({"replay_id":"rep:1"})");
  CHECK(tests::has(lacking, R"("trace_seq":2)"));
  CHECK(tests::has(lacking, "replay_start types it"));
  for (const char* wrong : {"2abc", " 2", "0", "-2", "2.0", ""}) {
    INFO(wrong);
    const auto refused = bench.run(
        "replay_start", "{" + path + R"(,"secrets":{")" + std::string(wrong) + R"(":"x"}})");
    CHECK(refused.error_code == "BadRequest");
  }
  const auto told = bench.run("replay_start", "{" + path + R"(,"secrets":{"2":"hunter-2024"}})");
  CHECK(told.ok);
  CHECK_FALSE(tests::has(told, "missing_secrets"));
}

TEST_CASE("links and pipes are no files of a recording") {
  const std::string folder =
      fs::temp_directory_path() / ("gantry-links-" + std::to_string(::getpid()));
  fs::remove_all(folder);
  fs::create_directories(folder + "/linked");
  std::ofstream(folder + "/elsewhere.jsonl") << row_line(row_of(1));
  REQUIRE(load_trace(folder + "/elsewhere.jsonl").ok());
  fs::copy_file(folder + "/elsewhere.jsonl", folder + "/by another name");
  CHECK(load_trace(folder + "/by another name").ok());
  fs::create_symlink(folder + "/elsewhere.jsonl", folder + "/linked/trace.jsonl");
  REQUIRE(::mkfifo((folder + "/linked/trace-00001.jsonl").c_str(), 0600) == 0);
  CHECK_FALSE(load_trace(folder + "/linked").ok());
  CHECK_FALSE(load_trace(folder + "/linked/trace-00001.jsonl").ok());
  fs::remove_all(folder);
}

/// No file of this process may be longer; what is written beyond fails instead of ending it.
class ShortFiles {
 public:
  explicit ShortFiles(::rlim_t bytes) : before_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &limit_);
    const ::rlimit low{bytes, limit_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &low);
  }
  ~ShortFiles() {
    ::setrlimit(RLIMIT_FSIZE, &limit_);
    ::signal(SIGXFSZ, before_);
  }
  ShortFiles(const ShortFiles&) = delete;
  ShortFiles& operator=(const ShortFiles&) = delete;

 private:
  ::rlimit limit_{};
  void (*before_)(int);
};

TEST_CASE("a disk that takes no more is an error of the recording") {
  const std::string folder =
      fs::temp_directory_path() / ("gantry-full-" + std::to_string(::getpid()));
  fs::remove_all(folder);
  TraceFiles files(folder, {}, {});
  REQUIRE(files.open().ok());
  Result<void> saved;
  {
    const ShortFiles limit(4096);
    saved = files.save("screenshots/x.png", std::vector<std::uint8_t>(10'000, 0));
  }
  CHECK(saved.error().code == Code::ResourceExhausted);
  CHECK_FALSE(fs::exists(folder + "/screenshots/x.png"));  // half a picture is none
  CHECK(files.append(row_line(row_of(1))).ok());
  fs::remove_all(folder);
}

TEST_CASE("a recording that cannot begin leaves nothing behind") {
  const std::string folder =
      fs::temp_directory_path() / ("gantry-begin-" + std::to_string(::getpid()));
  fs::remove_all(folder);
  TraceFiles files(folder, {}, {});
  Result<void> opened;
  {
    const ShortFiles limit(10);  // less than the first line
    opened = files.open();
  }
  CHECK(opened.error().code == Code::ResourceExhausted);
  CHECK_FALSE(fs::exists(folder));
}

TEST_CASE("a recording that is removed while it is written says so") {
  const std::string folder =
      fs::temp_directory_path() / ("gantry-gone-" + std::to_string(::getpid()));
  fs::remove_all(folder);
  TraceFiles files(folder, {}, {});
  REQUIRE(files.open().ok());
  REQUIRE(files.append(row_line(row_of(1))).ok());
  fs::remove_all(folder);
  const Result<void> lost = files.append(row_line(row_of(2)));
  REQUIRE_FALSE(lost.ok());
  CHECK(lost.error().message.find("removed while it was written") != std::string::npos);
  CHECK_FALSE(files.close("{}").ok());
}

TEST_CASE("a recording of holes is refused before it is read") {
  const std::string folder =
      fs::temp_directory_path() / ("gantry-holes-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream(folder + "/trace.jsonl") << "{}";
  fs::resize_file(folder + "/trace.jsonl", std::uintmax_t{1} << 40U);
  const auto loaded = load_trace(folder);
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().code == Code::InvalidArgument);
  CHECK(loaded.error().message.find("is larger than") != std::string::npos);
  fs::remove_all(folder);
}

TEST_CASE("a recording is written into its own folder, whatever stands in its place") {
  const fs::path base = fs::temp_directory_path() / ("gantry-swap-" + std::to_string(::getpid()));
  fs::remove_all(base);
  fs::create_directories(base / "elsewhere/screenshots");
  TraceFiles files((base / "trace-1").string(), {}, {600, 9});
  REQUIRE(files.open().ok());
  fs::rename(base / "trace-1", base / "moved");
  fs::create_directory_symlink(base / "elsewhere", base / "trace-1");
  for (int i = 1; i <= 12; ++i) REQUIRE(files.append(row_line(row_of(i))).ok());
  REQUIRE(files.save("screenshots/step-1.png", {1, 2, 3}).ok());
  CHECK(fs::is_empty(base / "elsewhere/screenshots"));
  CHECK(std::distance(fs::directory_iterator(base / "elsewhere"), {}) == 1);
  CHECK(load_trace(base / "moved")->rows.size() == 12);
  // Nor is a file that somebody has put there written into.
  std::ofstream(base / "elsewhere/kept") << "kept";
  fs::create_symlink(base / "elsewhere/kept", base / "moved/screenshots/step-2.png");
  CHECK_FALSE(files.save("screenshots/step-2.png", {1, 2, 3}).ok());
  fs::remove_all(base / "moved/screenshots");
  fs::create_directory_symlink(base / "elsewhere", base / "moved/screenshots");
  CHECK_FALSE(files.save("screenshots/step-3.png", {1, 2, 3}).ok());
  CHECK(fs::file_size(base / "elsewhere/kept") == 4);
  CHECK_FALSE(fs::exists(base / "elsewhere/step-3.png"));
  // A folder that is a link from the beginning.
  TraceFiles linked((base / "trace-1").string(), {}, {});
  CHECK_FALSE(linked.open().ok());
  fs::remove_all(base);
}

TEST_CASE("nothing of a recording becomes markup, and no picture comes from elsewhere") {
  TraceText trace;
  TraceRow row = row_of(1);
  row.tool = "<script>alert(1)</script>";
  row.args = R"({"text":"</pre><img src=x onerror=y>"})";
  row.screenshot_full = "../../etc/passwd";
  trace.rows = {row};
  std::vector<std::string> asked;
  const std::string page = trace_page(trace, [&](const std::string& reference) {
    asked.push_back(reference);
    return std::nullopt;
  });
  CHECK(page.find("<script") == std::string::npos);
  CHECK(page.find("<img src=x") == std::string::npos);
  CHECK(asked == std::vector<std::string>{"../../etc/passwd"});
}

TEST_CASE("similarity is 1 for the same picture and falls with the difference") {
  picture::GrayImage a{32, 24, std::vector<std::uint8_t>(32 * 24)};
  for (std::size_t i = 0; i < a.pixels.size(); ++i) a.pixels[i] = static_cast<std::uint8_t>(i * 37);
  CHECK(picture::structural_similarity(a, a).value() == Approx(1.0));
  picture::GrayImage b = a;
  for (auto& pixel : b.pixels) pixel = static_cast<std::uint8_t>(255 - pixel);
  CHECK(picture::structural_similarity(a, b).value() < 0.0);
  b.width = 24, b.height = 32;
  CHECK_FALSE(picture::structural_similarity(a, b));
  const picture::GrayImage flat{7, 7, std::vector<std::uint8_t>(49, 100)};
  const picture::GrayImage lighter{7, 7, std::vector<std::uint8_t>(49, 200)};
  // Without structure only the luminance term is left: (2ab + C1) / (a² + b² + C1).
  CHECK(picture::structural_similarity(flat, lighter).value() ==
        Approx((2 * 100 * 200 + 6.5025) / (100 * 100 + 200 * 200 + 6.5025)));
}

}  // namespace
}  // namespace gantry::observation
