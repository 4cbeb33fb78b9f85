// SPDX-License-Identifier: Apache-2.0
// gantry ocr and gantry locate: the program as a process, on pictures that are drawn here.
#include <signal.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <gantry/picture/png.hpp>
#include <string>
#include <vector>

#include "daemon_process.hpp"
#include "rendered_text.hpp"
#include "test_files.hpp"

namespace gantry::test {
namespace {

namespace json = boost::json;
using ocr::test::Label;

constexpr int kOk = 0;
constexpr int kFailed = 1;
constexpr int kUsage = 64;
constexpr int kUnavailable = 69;
constexpr std::chrono::seconds kPatience{180};  // a slow machine, and every check switched on

struct Answer {
  int code = -1;
  std::string output;
};

/// A folder with a configuration of its own: no desktop, no listener, no daemon in reach.
class Place {
 public:
  explicit Place(const std::string& plugins = R"("perception": {}, "ocr_tesseract": {},
                                                 "vision_cv": {}, "vision_ground": {})") {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS",
                             "XDG_RUNTIME_DIR", "GANTRY_CONFIG", "GANTRY_PROFILE"}) {
      unsetenv(name);
    }
    setenv("GANTRY_RUNTIME_DIR", (dir_.path() / "run").c_str(), 1);
    setenv("GANTRY_STATE_DIR", (dir_.path() / "state").c_str(), 1);
    config_ = dir_.write("gantry.json", R"({"profile": "minimal", "plugins": {)" + plugins + "}}");
  }

  [[nodiscard]] std::string file(const std::string& name, const std::string& bytes) const {
    return dir_.write(name, bytes).string();
  }
  /// A dialog with a question and two buttons far apart; `boxes` is where their texts are.
  [[nodiscard]] std::string dialog(std::vector<Rect>& boxes) const {
    const Image image =
        ocr::test::draw(520, 160, ocr::test::kLight,
                        {Label{"Keep the changes of this file?", 20, 20, 18},
                         Label{"Discard", 60, 110, 18}, Label{"Save", 400, 110, 18}},
                        &boxes);
    const auto png = picture::encode_png(image);
    REQUIRE(png.ok());
    return file("dialog.png", std::string(png->begin(), png->end()));
  }
  [[nodiscard]] Answer run(std::vector<std::string> words) const {
    Answer out;
    out.code = run_gantry(with_config(std::move(words)), out.output);
    return out;
  }
  /// What it says on standard error, and its exit status.
  [[nodiscard]] Answer complaint(std::vector<std::string> words) const {
    DaemonProcess process(with_config(std::move(words)));
    const Exit end = process.wait(kPatience);
    return {end.exited ? end.code : -1, process.log()};
  }
  [[nodiscard]] std::vector<std::string> with_config(std::vector<std::string> words) const {
    words.insert(words.end(), {"--config", config_.string()});
    return words;
  }

 private:
  TempDir dir_;
  std::filesystem::path config_;
};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::int64_t number(const json::value& value, std::string_view name) {
  return value.as_object()
      .at(json::string_view(name.data(), name.size()))
      .to_number<std::int64_t>();
}

/// Whether the box around a text has the point in it, give or take a border.
bool near(const Rect& text, std::int64_t x, std::int64_t y) {
  constexpr int kBorder = 6;
  return x >= text.x - kBorder && x <= text.x + text.width + kBorder && y >= text.y - kBorder &&
         y <= text.y + text.height + kBorder;
}

TEST_CASE("gantry ocr prints the lines of a picture from top to bottom") {
  const Place place;
  std::vector<Rect> boxes;
  const std::string file = place.dialog(boxes);
  const Answer plain = place.run({"ocr", file});
  INFO(plain.output);
  REQUIRE(plain.code == kOk);
  const std::size_t question = plain.output.find("Keep the changes of this file?\n");
  REQUIRE(question != std::string::npos);
  CHECK(plain.output.find("Discard") > question);
  CHECK(has(plain.output, "Save"));

  const Answer data = place.run({"ocr", file, "--json"});
  REQUIRE(data.code == kOk);
  const json::value answer = json::parse(data.output);
  CHECK(number(answer, "width") == 520);
  CHECK(number(answer, "height") == 160);
  const json::value& first = answer.at("rows").as_array().front();
  CHECK(first.at("text").as_string() == "Keep the changes of this file?");
  CHECK(first.at("confidence").to_number<double>() > 0.5);
  const json::value& box = first.at("bbox");
  CHECK(near(boxes.front(), number(box, "x"), number(box, "y")));
}

TEST_CASE("gantry locate tells where the words mean") {
  const Place place;
  std::vector<Rect> boxes;
  const std::string file = place.dialog(boxes);
  REQUIRE(boxes.size() == 3);
  const Answer data = place.run({"locate", file, "the", "Save", "button", "--json"});
  INFO(data.output);
  REQUIRE(data.code == kOk);
  const json::value answer = json::parse(data.output);
  const json::value& best = answer.at("matches").as_array().front();
  CHECK(near(boxes[2], number(best, "x"), number(best, "y")));
  CHECK(best.at("text").as_string() == "Save");
  CHECK(has(std::string(best.at("source").as_string()), "ocr"));

  const Answer table = place.run({"locate", file, "Discard"});
  REQUIRE(table.code == kOk);
  const std::size_t row = table.output.find('\n');
  REQUIRE(row != std::string::npos);
  CHECK(has(table.output.substr(0, row), "WHAT"));
  char* rest = nullptr;
  const long x = std::strtol(table.output.c_str() + row, &rest, 10);
  const long y = std::strtol(rest, nullptr, 10);
  CHECK(near(boxes[1], x, y));
  CHECK(has(table.output, "Discard"));
}

TEST_CASE("what cannot be done is said on standard error, with a status of its own") {
  const Place place;
  std::vector<Rect> boxes;
  const std::string file = place.dialog(boxes);
  struct Row {
    std::vector<std::string> words;
    int code;
    const char* says;
  };
  for (const Row& row :
       {Row{{"ocr"}, kUsage, "usage: gantry ocr FILE"},
        Row{{"ocr", file, file}, kUsage, "usage: gantry ocr FILE"},
        Row{{"ocr", file + ".gone"}, kUsage, "cannot be read, or is empty"},
        Row{{"ocr", place.file("empty.png", "")}, kUsage, "cannot be read, or is empty"},
        Row{{"ocr", place.file("note.png", "no picture")}, kUsage, "picture"},
        Row{{"ocr", file, "--timeout", "1"}, kFailed, ""},
        Row{{"locate", file}, kUsage, "usage: gantry locate FILE WORDS"},
        Row{{"locate", place.file("note.png", "no picture"), "Save"}, kUsage, "picture"},
        Row{{"locate", file, "Frobnicate"}, kFailed, "nothing in the picture fits"}}) {
    INFO(row.words.front() << ' ' << row.says);
    const Answer answer = place.complaint(row.words);
    INFO(answer.output);
    CHECK(answer.code == row.code);
    CHECK(has(answer.output, row.says));
    CHECK(place.run(row.words).output.empty());
  }
}

TEST_CASE("without what reads or searches pictures both say what is missing") {
  const std::string plugins = GENERATE(std::string(), std::string(R"("perception": {})"));
  INFO(plugins);
  const Place place(plugins);
  std::vector<Rect> boxes;
  const std::string file = place.dialog(boxes);
  const Answer read = place.complaint({"ocr", file});
  CHECK(read.code == kUnavailable);
  CHECK(has(read.output, plugins.empty() ? "gantry.picture.text/1" : "gantry.ocr.read/1"));
  const Answer found = place.complaint({"locate", file, "Save"});
  CHECK(found.code == kUnavailable);
  CHECK(has(found.output, plugins.empty() ? "gantry.picture.locate/1" : "gantry.vision.locate/1"));
}

TEST_CASE("a running daemon is asked when there is one") {
  const Place place;
  std::vector<Rect> boxes;
  const std::string file = place.dialog(boxes);
  const std::string alone = place.run({"ocr", file}).output;
  DaemonProcess daemon(place.with_config({"run"}));
  REQUIRE(daemon.wait_for("ready version="));
  // A configuration that can read nothing by itself.
  const std::string bare = place.file("bare.json", R"({"profile": "minimal"})");
  Answer asked;
  asked.code = run_gantry({"ocr", file, "--config", bare}, asked.output);
  INFO(asked.output);
  CHECK(asked.code == kOk);
  CHECK(asked.output == alone);
  std::string nothing;
  CHECK(run_gantry({"ocr", file, "--config", bare, "--in-process"}, nothing) == kUnavailable);
  daemon.send(SIGTERM);
  CHECK(daemon.wait(kPatience).code == kOk);
}

}  // namespace
}  // namespace gantry::test
