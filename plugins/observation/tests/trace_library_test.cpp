// SPDX-License-Identifier: Apache-2.0
// Recordings as clients see them: which there are, their pages, and what is not given out.
#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <thread>

#include "trace_files.hpp"
#include "trace_library.hpp"

namespace gantry::observation {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPngBytes = "\x89PNG\r\n\x1a\nrest";

/// A folder of recordings that is gone with the test.
struct Library {
  Library() {
    fs::remove_all(dir);
    fs::create_directories(dir);
  }
  ~Library() { fs::remove_all(dir); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  static TraceRow row(std::int64_t seq, std::size_t bytes = 0) {
    TraceRow out;
    out.seq = seq;
    out.tool = "list_windows";
    out.args = R"({"a":")" + std::string(bytes, 'x') + "\"}";
    return out;
  }
  /// A recording of so many calls; `minute` dates its file.
  void record(const std::string& id, int calls, int minute, bool ended = true,
              std::size_t bytes = 0, TraceFiles::Limits limits = {}) const {
    TraceHeader header;
    header.trace_id = id;
    header.label = "the " + id;
    header.started_at = iso_time(minute * 60'000'000'000);
    TraceFiles files((dir / id).string(), header, limits);
    REQUIRE(files.open().ok());
    for (int i = 1; i <= calls; ++i) REQUIRE(files.append(row_line(row(i, bytes))).ok());
    if (ended) REQUIRE(files.close(footer_line({iso_time(0), calls, 7})).ok());
    fs::last_write_time(dir / id / "trace.jsonl", base + std::chrono::minutes(minute));
  }
  void write(const std::string& name, std::string_view text) const {
    fs::create_directories((dir / name).parent_path());
    std::ofstream(dir / name, std::ios::binary) << text;
  }
  [[nodiscard]] RecordingInfos list(const RecordingListRequest& request = {},
                                    const std::string& running = {}) const {
    return list_traces(dir, request, running);
  }
  [[nodiscard]] Result<RecordingContents> read(RecordingReadRequest request) const {
    return read_trace(dir, request, "", true);
  }
  [[nodiscard]] Result<RecordingContents> page(const std::string& id, std::int64_t number) const {
    RecordingReadRequest request;
    request.trace_id = id;
    request.form = RecordingForm::Lines;
    request.page = number;
    return read(request);
  }
  [[nodiscard]] Result<RecordingContents> picture(const std::string& id,
                                                  const std::string& name) const {
    RecordingReadRequest request;
    request.trace_id = id;
    request.form = RecordingForm::Picture;
    request.picture = name;
    return read(request);
  }

  fs::file_time_type base = fs::file_time_type::clock::now() - std::chrono::hours(1000);
  fs::path dir = fs::temp_directory_path() / ("gantry-library-" + std::to_string(::getpid()));
};

std::string ids_of(const RecordingInfos& infos) {
  std::string out;
  for (const RecordingInfo& one : infos.traces) out += one.trace_id.substr(6) + " ";
  return out;
}

TEST_CASE("recordings are listed with the newest first, and only so many") {
  const Library library;
  CHECK(list_traces(library.dir / "nowhere", {}, "").total == 0);
  library.record("trace-b", 1, 2);
  library.record("trace-a", 2, 3);
  library.record("trace-c", 3, 1, false);
  CHECK(ids_of(library.list()) == "a b c ");
  CHECK(ids_of(library.list({}, "trace-c")) == "c a b ");  // it runs
  CHECK(ids_of(library.list({"trace-b", 100, ""})) == "b ");
  const RecordingInfos two = library.list({"", 2, ""});
  CHECK(ids_of(two) == "a b ");
  CHECK(two.total == 3);
  CHECK(library.list({"", -5, ""}).traces.empty());

  const RecordingInfo& first = two.traces.front();
  CHECK(first.label == "the trace-a");
  CHECK(first.started_at == "1970-01-01T00:03:00.000000+00:00");
  CHECK(first.stopped_at == "1970-01-01T00:00:00.000000+00:00");
  CHECK(first.calls == 2);
  CHECK(first.pages == 1);
  const RecordingInfo cut_off = library.list().traces.back();
  CHECK(cut_off.stopped_at.empty());
  CHECK_FALSE(cut_off.running);
  CHECK_FALSE(cut_off.calls.has_value());
}

TEST_CASE("of a great many recordings only those that are shown are read") {
  const Library library;
  for (int i = 0; i < 1100; ++i) {
    fs::create_directory(library.dir / ("trace-" + std::to_string(i)));
  }
  library.record("trace-real", 1, 1);
  library.record("trace-other", 1, 2);
  CHECK(library.list().total == 1102);
  CHECK(library.list({"trace-", 1'000'000, ""}).traces.size() <= 1000);
  CHECK(ids_of(library.list({"trace-re", 5, ""})) == "real ");
}

TEST_CASE("the pages of a recording are its lines, each once, also over several files") {
  const Library library;
  const auto bytes = GENERATE(as<std::size_t>(), 0, 900, 70'000, 200'000);
  library.record("trace-1", 60, 1, true, bytes, {300'000, 100});
  const RecordingInfo info = library.list().traces.at(0);
  std::string whole;
  const auto folder = TraceFolder::open(library.dir / "trace-1", TraceFolder::Links::NotLast);
  REQUIRE(folder.ok());
  for (const std::string& name : folder->files()) {
    const fs::path file = library.dir / "trace-1" / name;
    std::ifstream stream(file, std::ios::binary);
    whole.append(std::istreambuf_iterator<char>(stream), {});
  }
  CHECK(info.bytes == static_cast<std::int64_t>(whole.size()));
  std::string read;
  for (std::int64_t page = 1; page <= info.pages; ++page) {
    const auto part = library.page("trace-1", page);
    REQUIRE(part.ok());
    CHECK((part->text.empty() || part->text.ends_with('\n')));
    read += part->text;
  }
  CHECK(read == whole);
  for (const std::int64_t page :
       {std::int64_t{0}, std::int64_t{-1}, info.pages + 1, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()}) {
    const auto none = library.page("trace-1", page);
    REQUIRE_FALSE(none.ok());
    CHECK(none.error().code == Code::NotFound);
  }
}

TEST_CASE("a line that was cut off is no line, and what is no text becomes one") {
  const Library library;
  library.record("trace-1", 2, 1, false);
  std::ofstream(library.dir / "trace-1/trace.jsonl", std::ios::app) << "{\"trace_seq\":3,\"to";
  const auto part = library.page("trace-1", 1);
  REQUIRE(part.ok());
  CHECK(part->text.ends_with("\n"));
  CHECK(part->text.find("\"trace_seq\":2") != std::string::npos);
  CHECK(part->text.find("\"trace_seq\":3") == std::string::npos);
  CHECK(part->info.stopped_at.empty());
  library.write("trace-2/trace.jsonl", std::string("\xff\xfe{}\n\0x\n", 8));
  const auto other = library.page("trace-2", 1);
  REQUIRE(other.ok());
  CHECK(other->text == std::string("??{}\n\0x\n", 8));
  library.write("trace-3/trace.jsonl", std::string(3 << 20, 'x'));  // one line without an end
  for (std::int64_t page = 1; page <= 48; ++page)
    CHECK(library.page("trace-3", page)->text.empty());
  library.write("trace-4/trace.jsonl", "");
  CHECK(library.page("trace-4", 1).error().code == Code::NotFound);
}

TEST_CASE("nothing outside of the folder of recordings is read") {
  const Library library;
  library.record("trace-1", 1, 1);
  library.write("secret/trace.jsonl", "{}\n");
  library.write("secret.jsonl", "{}\n");
  for (const char* id : {"", ".", "..", "secret", "trace-", "trace-1/", "trace-1/../secret",
                         "../secret", "trace-..", "/etc", "trace-1\n", "trace-%2e"}) {
    INFO(id);
    CHECK_FALSE(is_trace_id(id));
    CHECK(library.page(id, 1).error().code == Code::NotFound);
  }
  CHECK(library.page(std::string("trace-1\0x", 9), 1).error().code == Code::NotFound);
  CHECK_FALSE(is_trace_id("trace-" + std::string(65, 'a')));

  fs::create_directory_symlink(library.dir / "secret", library.dir / "trace-link");
  fs::create_directories(library.dir / "trace-in");
  fs::create_symlink(library.dir / "secret.jsonl", library.dir / "trace-in/trace.jsonl");
  REQUIRE(::mkfifo((library.dir / "trace-in/trace-00001.jsonl").c_str(), 0600) == 0);
  library.write("trace-file", "no folder");
  CHECK(ids_of(library.list()) == "1 ");
  CHECK(library.page("trace-link", 1).error().code == Code::NotFound);
  CHECK(library.page("trace-in", 1).error().code == Code::NotFound);
}

TEST_CASE("a link that takes a recording's place while it is read leads nowhere") {
  const Library library;
  const std::string secret = "\x89PNG\r\n\x1a\nsecret";
  library.record("trace-1", 1, 1);
  library.write("trace-1/screenshots/step-1.png", kPngBytes);
  library.write("elsewhere/trace.jsonl", "{\"type\":\"header\",\"label\":\"secret\"}\n");
  library.write("elsewhere/screenshots/step-1.png", secret);
  fs::create_directory_symlink(library.dir / "elsewhere", library.dir / "link");

  // What was opened stays what it is.
  const auto opened = TraceFolder::open(library.dir / "trace-1", TraceFolder::Links::NotLast);
  REQUIRE(opened.ok());
  const fs::path one = library.dir / "trace-1";
  const fs::path two = library.dir / "link";
  const fs::path aside = library.dir / "aside";
  const auto swap = [&] {
    fs::rename(one, aside);
    fs::rename(two, one);
    fs::rename(aside, two);
  };
  swap();
  CHECK(opened->picture("screenshots/step-1.png").read(0, 100) == kPngBytes);
  CHECK(load_trace(*opened, 10'000)->header->label == "the trace-1");
  CHECK_FALSE(TraceFolder::open(library.dir / "trace-1", TraceFolder::Links::NotLast).ok());
  CHECK_FALSE(load_trace(library.dir / "trace-1/trace.jsonl", TraceFolder::Links::Nowhere).ok());
  CHECK(load_trace(library.dir / "trace-1", TraceFolder::Links::Follow)->header->label == "secret");

  std::atomic<bool> over{false};
  std::thread swaps([&] {
    while (!over) swap();
  });
  int read = 0, told = 0;
  for (int i = 0; i < 20'000 || (read == 0 && i < 1'000'000); ++i) {
    const auto picture = library.picture("trace-1", "step-1.png");
    read += picture.ok() ? 1 : 0;
    told += picture.ok() && picture->data.size() == secret.size() ? 1 : 0;
    if (i % 8 != 0) continue;
    for (const RecordingInfo& info : library.list().traces) told += info.label == "secret" ? 1 : 0;
    RecordingReadRequest page;
    page.trace_id = "trace-1";
    page.form = RecordingForm::Page;
    const auto html = library.read(page);
    told += html.ok() && html->text.find("secret") != std::string::npos ? 1 : 0;
  }
  over = true;
  swaps.join();
  CHECK(read > 0);
  CHECK(told == 0);
}

TEST_CASE("what a recording without lines lacks is said without a path") {
  const Library library;
  library.record("trace-1", 1, 1);
  library.write("trace-1/trace.jsonl", "");
  library.record("trace-2", 1, 1);
  library.write("trace-2/trace.jsonl", "rubbish\n");
  library.record("trace-3", 1, 1);
  fs::remove(library.dir / "trace-3/trace.jsonl");
  RecordingReadRequest request;
  request.form = RecordingForm::Page;
  const auto message = [&](const char* id) {
    request.trace_id = id;
    const auto page = library.read(request);
    REQUIRE_FALSE(page.ok());
    CHECK(page.error().code == Code::NotFound);
    CHECK(page.error().message.find('/') == std::string::npos);
    return page.error().message;
  };
  CHECK(message("trace-1") == "the recording trace-1 has no page.html, because it has no lines");
  CHECK(message("trace-2").starts_with(
      "the recording trace-2 has no page.html, because it has no lines: trace.jsonl:1: left out"));
  CHECK(message("trace-3") == "there is no recording trace-3");
  CHECK(message("trace-4") == "there is no recording trace-4");
}

TEST_CASE("pictures are those that the recorder wrote, and only such") {
  const Library library;
  library.record("trace-1", 1, 1);
  library.write("trace-1/screenshots/step-00001-full.png", kPngBytes);
  library.write("trace-1/screenshots/step-00002-full.png", "no picture");
  library.write("trace-1/step-9.png", kPngBytes);
  fs::create_symlink(library.dir / "trace-1/step-9.png",
                     library.dir / "trace-1/screenshots/step-3.png");
  const auto picture = library.picture("trace-1", "step-00001-full.png");
  REQUIRE(picture.ok());
  CHECK(picture->data.size() == kPngBytes.size());
  for (const char* name : {"", "step-00002-full.png", "step-3.png", "../step-9.png",
                           "step-../step-9.png", "step-4.png", "trace.jsonl"}) {
    INFO(name);
    CHECK(library.picture("trace-1", name).error().code == Code::NotFound);
  }
  RecordingReadRequest small;
  small.trace_id = "trace-1";
  small.form = RecordingForm::Picture;
  small.picture = "step-00001-full.png";
  small.most_bytes = 5;
  CHECK(library.read(small).error().code == Code::ResourceExhausted);

  library.record("trace-2", 1, 1);
  fs::remove_all(library.dir / "trace-2/screenshots");
  fs::create_directory_symlink(library.dir / "trace-1/screenshots",
                               library.dir / "trace-2/screenshots");
  CHECK(library.picture("trace-2", "step-00001-full.png").error().code == Code::NotFound);
}

TEST_CASE("a page has its pictures where they may be seen, and is refused where it would not fit") {
  const Library library;
  TraceHeader header;
  header.trace_id = "trace-1";
  TraceFiles files((library.dir / "trace-1").string(), header, {});
  REQUIRE(files.open().ok());
  TraceRow row = Library::row(1);
  row.screenshot_full = "screenshots/step-00001-full.png";
  REQUIRE(files.append(row_line(row)).ok());
  REQUIRE(files.close(footer_line({})).ok());
  library.write("trace-1/screenshots/step-00001-full.png", kPngBytes);
  RecordingReadRequest request;
  request.trace_id = "trace-1";
  request.form = RecordingForm::Page;
  const auto seen = read_trace(library.dir, request, "", true);
  REQUIRE(seen.ok());
  CHECK(seen->text.find("data:image/png") != std::string::npos);
  const auto unseen = read_trace(library.dir, request, "", false);
  REQUIRE(unseen.ok());
  CHECK(unseen->text.find("data:image/png") == std::string::npos);
  request.most_bytes = 100;
  const auto large = read_trace(library.dir, request, "", true);
  REQUIRE_FALSE(large.ok());
  CHECK(large.error().code == Code::ResourceExhausted);
  CHECK(large.error().message.find("page by page") != std::string::npos);
}

TEST_CASE("a recording is read while its files move on") {
  const Library library;
  TraceHeader header;
  header.trace_id = "trace-1";
  TraceFiles files((library.dir / "trace-1").string(), header, {2000, 3});
  REQUIRE(files.open().ok());
  std::int64_t last = 0;
  for (int i = 1; i <= 200; ++i) {
    REQUIRE(files.append(row_line(Library::row(i, 100))).ok());
    const RecordingInfos now = library.list({}, "trace-1");
    REQUIRE(now.traces.size() == 1);
    CHECK(now.traces[0].running);
    CHECK(now.traces[0].stopped_at.empty());
    const auto newest = library.page("trace-1", now.traces[0].pages);
    REQUIRE(newest.ok());
    CHECK(newest->text.find("\"trace_seq\":" + std::to_string(i) + ",") != std::string::npos);
    last = now.traces[0].pages;
  }
  CHECK(last == 3);  // the oldest files went
}

TEST_CASE("whoever reads while another writes and moves files on gets whole lines or a refusal") {
  const Library library;
  TraceHeader header;
  header.trace_id = "trace-1";
  TraceFiles files((library.dir / "trace-1").string(), header, {3000, 3});
  REQUIRE(files.open().ok());
  std::atomic<bool> written{true};
  std::atomic<bool> over{false};
  std::thread writer([&] {
    for (int i = 1; i <= 2000; ++i) {
      if (!files.append(row_line(Library::row(i, 100))).ok()) written = false;
    }
    over = true;
  });
  std::int64_t torn = 0, wrong = 0, read = 0;
  for (bool last = false; !last;) {
    last = over;
    for (std::int64_t page = 1; page <= 4; ++page) {
      const auto part = library.page("trace-1", page);
      if (!part.ok()) {
        wrong +=
            part.error().code == Code::NotFound || part.error().code == Code::Unavailable ? 0 : 1;
        continue;
      }
      ++read;
      TraceText lines;
      read_trace_lines(part->text, "f", lines);
      torn += static_cast<std::int64_t>(lines.problems.size());
    }
  }
  writer.join();
  CHECK(written);
  CHECK(torn == 0);
  CHECK(wrong == 0);
  CHECK(read > 0);
}

}  // namespace
}  // namespace gantry::observation
