// SPDX-License-Identifier: Apache-2.0
// The plugin on pictures that the tests draw.
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iterator>
#include <new>
#include <optional>

#include <gantry/ocr/line_finder.hpp>
#include <gantry/ocr/normalise.hpp>
#include "ocr_plugin.hpp"
#include "rendered_text.hpp"

#include <gantry/testkit/fake_host.hpp>

namespace gantry::ocr_tesseract::test {
namespace {

using ocr::changes_between;
using ocr::find_lines;
using ocr::ink_of;
using ocr::kMostLooks;
using ocr::Page;
using ocr::renew_ink;
using ocr::view_of;
using ocr::test::as_format;
using ocr::test::Colour;
using ocr::test::draw;
using ocr::test::edits;
using ocr::test::kDark;
using ocr::test::kLight;
using ocr::test::Label;
using ocr::test::Palette;

constexpr const char* kTexts[] = {
    "Reply to all messages",
    "Downloads (37 files, 1.2 GB)",
    "The quick brown fox jumps over the lazy dog.",
    "Save changes before closing?",
    "Meeting on Thursday at 14:30",
    "Show hidden files",
    "Error: file not found",
    "Page 12 of 348",
    "Total: 1,299.00 EUR",
};

struct Running {
  explicit Running(const std::string& config = "{}") {
    const auto loaded = kit.load<OcrPlugin>("ocr_tesseract", config);
    REQUIRE(loaded.ok());
  }
  Result<Ref<OcrResult>> ask(OcrRequest request) {
    return kit.host().bus().call_wait<OcrRead>(std::move(request));
  }
  std::vector<OcrWord> words(const Image& image, std::vector<std::string> languages = {}) {
    OcrRequest request;
    request.image = image;
    request.languages = std::move(languages);
    const auto answer = ask(std::move(request));
    INFO((answer.ok() ? std::string() : answer.error().message));
    REQUIRE(answer.ok());
    return (*answer)->words;
  }
  double counted(std::string_view name) const { return kit.metric("ocr_tesseract", name); }

  testkit::FakeHost kit;
};

/// The words whose middle is in `box`, with blanks between them.
std::string text_in(const std::vector<OcrWord>& words, Rect box) {
  box = {box.x - 2, box.y - 3, box.width + 4, box.height + 6};
  std::string out;
  for (const OcrWord& word : words) {
    const Rect& at = word.bbox;
    if (!box.contains(at.x + at.width / 2, at.y + at.height / 2)) continue;
    out += (out.empty() ? "" : " ") + word.text;
  }
  return out;
}

std::vector<Label> form() {
  return {{"File", 10, 8, 13},
          {"Edit", 70, 8, 13},
          {"Name of the project", 10, 60, 13},
          {"Gantry", 220, 60, 13},
          {"Due on Monday", 10, 130, 13},
          {"Cancel", 10, 200, 13},
          {"Save changes", 220, 200, 13}};
}

/// Has a say, as long as it lives, before OpenCV gets memory for a matrix.
class Allocations final : public cv::MatAllocator {
 public:
  explicit Allocations(std::function<void()> before) : before_(std::move(before)) {
    cv::Mat::setDefaultAllocator(this);
  }
  ~Allocations() override { cv::Mat::setDefaultAllocator(cv::Mat::getStdAllocator()); }

  cv::UMatData* allocate(int dims, const int* sizes, int type, void* data, std::size_t* step,
                         cv::AccessFlag flags, cv::UMatUsageFlags usage) const override {
    before_();
    return cv::Mat::getStdAllocator()->allocate(dims, sizes, type, data, step, flags, usage);
  }
  bool allocate(cv::UMatData*, cv::AccessFlag, cv::UMatUsageFlags) const override { return false; }
  void deallocate(cv::UMatData* data) const override {
    cv::Mat::getStdAllocator()->deallocate(data);
  }

 private:
  std::function<void()> before_;
};

TEST_CASE("small and large text of screens is read, dark on light and light on dark") {
  Running ocr;
  const bool dark = GENERATE(false, true);
  std::vector<Label> labels;
  std::int32_t y = 6;
  for (const std::int32_t size : {9, 10, 11, 12, 13, 14, 16, 18, 20, 24}) {
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t text = (labels.size() + i / 2) % std::size(kTexts);
      labels.push_back({kTexts[text], 10 + static_cast<std::int32_t>(i % 2) * 620, y, size});
      if (i % 2 == 1) y += size * 2;
    }
  }
  std::vector<Rect> boxes;
  const Image image = draw(1260, y + 10, dark ? kDark : kLight, labels, &boxes);
  const std::vector<OcrWord> words = ocr.words(image);
  std::size_t characters = 0;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::string read = text_in(words, boxes[i]);
    const std::size_t missed = edits(labels[i].text, read);
    if (missed > 0) UNSCOPED_INFO(labels[i].size << " px: " << labels[i].text << " -> " << read);
    characters += labels[i].text.size();
    wrong += missed;
  }
  INFO((dark ? "dark" : "light") << ": " << wrong << " of " << characters << " wrong");
  CHECK(static_cast<double>(wrong) <= 0.01 * static_cast<double>(characters));
}

TEST_CASE("words have their boxes, lines their numbers, and a region the image's coordinates") {
  Running ocr;
  std::vector<Rect> boxes;
  const Image image = draw(420, 240, kLight, form(), &boxes);
  const std::vector<OcrWord> words = ocr.words(image);
  const auto save = std::find_if(words.begin(), words.end(),
                                 [](const OcrWord& word) { return word.text == "Save"; });
  REQUIRE(save != words.end());
  CHECK(std::abs(save->bbox.x - boxes[6].x) <= 3);
  CHECK(std::abs(save->bbox.y - boxes[6].y) <= 3);
  CHECK(std::next(save)->text == "changes");
  CHECK(std::next(save)->line == save->line);
  CHECK(std::prev(save)->text == "Cancel");
  CHECK(std::prev(save)->line != save->line);

  OcrRequest request;
  request.image = image;
  request.region = Rect{210, 190, 1000, 1000};  // cut to the image
  const auto part = ocr.ask(std::move(request));
  REQUIRE(part.ok());
  REQUIRE((*part)->words.size() == 2);
  CHECK((*part)->words[0].text == "Save");
  CHECK(std::abs((*part)->words[0].bbox.x - boxes[6].x) <= 3);
  CHECK(std::abs((*part)->words[0].bbox.y - boxes[6].y) <= 3);
  CHECK((*part)->route.find("Tesseract 5") == 0);
}

TEST_CASE("text on bars of its own colours is read") {
  Running ocr;
  const Palette chosen{{0.7, 0.13, 0.27}, {1, 1, 1}};
  const bool dark = GENERATE(false, true);
  const std::vector<Label> labels = {{"Before it is chosen", 80, 10, 13},
                                     {"Warning: this row is chosen", 80, 30, 13, chosen},
                                     {"The row below", 80, 54, 13},
                                     {"Cancel", 80, 120, 16, chosen}};
  std::vector<Rect> boxes;
  const Image image = draw(420, 160, dark ? kDark : kLight, labels, &boxes);
  const std::vector<OcrWord> words = ocr.words(image);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::string read = text_in(words, boxes[i]);
    INFO(read);
    CHECK(edits(labels[i].text, read) <= 1);  // a blank, in the narrowest
  }
}

TEST_CASE("every layout of pixels is read") {
  Running ocr;
  const auto format =
      GENERATE(PixelFormat::Gray8, PixelFormat::Rgb8, PixelFormat::Rgba8, PixelFormat::Bgra8);
  const Image image = as_format(draw(300, 40, kDark, {{"Untitled Document", 10, 10, 14}}), format);
  const std::vector<OcrWord> words = ocr.words(image);
  REQUIRE(words.size() == 2);
  CHECK(words[0].text == "Untitled");
  CHECK(words[1].text == "Document");
}

TEST_CASE("a changed word is read again and no other, in an unchanged picture none") {
  Running ocr;
  std::vector<Label> labels = form();
  const std::vector<OcrWord> first = ocr.words(draw(900, 700, kLight, labels));
  const double lines = ocr.counted("lines_read_total");
  const double pixels = ocr.counted("normalised_pixels_total");
  CHECK(lines == static_cast<double>(labels.size()));
  CHECK(pixels == 900 * 700);

  const std::vector<OcrWord> again = ocr.words(draw(900, 700, kLight, labels));
  CHECK(again.size() == first.size());
  CHECK(ocr.counted("lines_read_total") == lines);
  CHECK(ocr.counted("normalised_pixels_total") == pixels);
  CHECK(ocr.counted("pictures_unchanged_total") == 1);

  labels[4].text = "Due on Friday";
  const std::vector<OcrWord> changed = ocr.words(draw(900, 700, kLight, labels));
  CHECK(ocr.counted("lines_read_total") == lines + 1);
  CHECK(ocr.counted("words_kept_total") == 2);  // "Due on"
  CHECK(ocr.counted("lines_reused_total") == static_cast<double>(labels.size() - 1));
  CHECK(ocr.counted("normalised_pixels_total") < pixels * 1.3);
  CHECK(text_in(changed, {0, 125, 300, 20}) == "Due on Friday");
  CHECK(text_in(changed, {0, 195, 900, 20}) == "Cancel Save changes");

  labels[2].text = "Name of another project";  // longer, and "project" moves
  const std::vector<OcrWord> longer = ocr.words(draw(900, 700, kLight, labels));
  CHECK(ocr.counted("lines_read_total") == lines + 2);
  CHECK(ocr.counted("words_kept_total") == 5);
  CHECK(text_in(longer, {0, 55, 900, 20}) == "Name of another project Gantry");
}

TEST_CASE("ink that is brought up to date is what all of it would be") {
  std::vector<Label> labels = form();
  const auto view = [](const Image& image) {
    OcrRequest request;
    request.image = image;
    return std::pair(request, view_of(request, 1'000'000)->pixels.clone());
  };
  const cv::Mat before = view(draw(600, 400, kDark, labels)).second;
  labels[2].text = "Name of a place";
  labels.push_back({"Edge", 560, 380, 16});
  const cv::Mat after = view(draw(600, 400, kDark, labels)).second;
  const std::vector<Rect> changed = changes_between(before, after);
  CHECK(changed.size() == 2);
  cv::Mat ink = ink_of(before);
  const std::int64_t made = renew_ink(ink, after, changed);
  CHECK(made < 600 * 400);
  CHECK(cv::norm(ink, ink_of(after), cv::NORM_INF) == 0);
  CHECK(cv::norm(ink, ink_of(before), cv::NORM_INF) > 0);
}

TEST_CASE("bars are turned around a change as they would be in the whole picture") {
  cv::RNG random(7);
  cv::Mat ink = cv::Mat::zeros(700, 500, CV_8UC1);
  const auto add_bar = [&](cv::Mat& to) {
    // Some are too high or too narrow, some lie over each other.
    const cv::Rect box(random.uniform(0, 400), random.uniform(0, 620), random.uniform(20, 100),
                       random.uniform(8, 80));
    to(box).setTo(random.uniform(150, 255));
    to(cv::Rect(box.x + 4, box.y + 3, box.width / 3, 4)).setTo(20);
  };
  for (int i = 0; i < 60; ++i) add_bar(ink);
  for (int round = 0; round < 40; ++round) {
    const cv::Mat before = ocr::with_bars_turned(ink);
    cv::Mat next = ink.clone();
    const cv::Rect changed(random.uniform(0, 400), random.uniform(0, 660), random.uniform(1, 100),
                           random.uniform(1, 40));
    cv::Mat other = cv::Mat::zeros(ink.size(), CV_8UC1);
    for (int i = 0; i < 60; ++i) add_bar(other);
    other(changed).copyTo(next(changed));
    const cv::Mat whole = ocr::with_bars_turned(next);
    CHECK(cv::norm(ocr::with_bars_turned_again(next, before, {changed}), whole, cv::NORM_INF) == 0);
    ink = next;
  }
}

TEST_CASE("a language without data is unavailable and its package is named") {
  Running ocr;
  OcrRequest request;
  request.image = draw(100, 30, kLight, {{"Text", 5, 5, 13}});
  request.languages = {"eng", "tlh_Piqd"};
  const auto answer = ocr.ask(request);
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().code == Code::Unavailable);
  CHECK(answer.error().message.find("tesseract-ocr-tlh-piqd") != std::string::npos);

  const std::vector<std::vector<std::string>> wrong = {
      {"../eng"}, {""}, {"eng+deu"}, {"eng", "eng", "eng", "eng", "eng"}};
  for (const auto& languages : wrong) {
    request.languages = languages;
    const auto refused = ocr.ask(request);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == Code::InvalidArgument);
  }
}

TEST_CASE("without data for its own languages the plugin is asked last and says why") {
  Running ocr(R"({"data_folder":"/nonexistent"})");
  CHECK(ocr.kit.suitability("ocr_tesseract") == 0);
  const auto& health = ocr.kit.health().at("ocr_tesseract/languages");
  CHECK(health.state == GANTRY_HEALTH_DEGRADED);
  CHECK(health.cure.find("tesseract-ocr-eng") != std::string::npos);
}

TEST_CASE("another language reads its letters") {
  Running ocr;
  const Image image = draw(400, 50, kLight, {{"Größe ändern und schließen", 10, 10, 16}});
  const std::vector<OcrWord> words = ocr.words(image, {"deu"});
  CHECK(text_in(words, {0, 0, 400, 50}) == "Größe ändern und schließen");
}

TEST_CASE("what is no picture is refused") {
  Running ocr;
  OcrRequest request;
  request.image = draw(100, 30, kLight, {{"Text", 5, 5, 13}});
  const auto refused = [&](const char* what, auto change) {
    OcrRequest wrong = request;
    change(wrong);
    const auto answer = ocr.ask(std::move(wrong));
    INFO(what);
    REQUIRE_FALSE(answer.ok());
    CHECK(answer.error().code == Code::InvalidArgument);
  };
  refused("nothing", [](OcrRequest& r) { r.image = {}; });
  refused("no width", [](OcrRequest& r) { r.image.width = 0; });
  refused("a negative height", [](OcrRequest& r) { r.image.height = -30; });
  refused("cut off", [](OcrRequest& r) { r.image.pixels = Buffer::copy("short"); });
  refused("one row too few", [](OcrRequest& r) { r.image.height = 31; });
  refused("rows that overlap", [](OcrRequest& r) { r.image.stride = 399; });
  refused("huge", [](OcrRequest& r) { r.image.width = r.image.height = 20'000; });
  refused("the largest numbers",
          [](OcrRequest& r) { r.image.width = r.image.height = r.image.stride = 2'147'483'647; });
  refused("a region beside it", [](OcrRequest& r) { r.region = Rect{100, 0, 10, 10}; });
  refused("a region without size", [](OcrRequest& r) { r.region = Rect{5, 5, 0, 5}; });
  CHECK(ocr.counted("lines_read_total") == 0);
}

TEST_CASE("pictures without text have no words, and tiny ones do no harm") {
  Running ocr;
  CHECK(ocr.words(draw(200, 100, kLight, {})).empty());
  CHECK(ocr.words(draw(1, 1, kDark, {})).empty());
  CHECK(ocr.words(draw(3, 2, kLight, {{"x", 0, 0, 40}})).empty());
}

TEST_CASE("a caller who gives up has nothing read") {
  Running ocr;
  OcrRequest request;
  request.image = draw(420, 240, kLight, form());
  std::optional<Code> answered;
  auto call = ocr.kit.host().bus().call<OcrRead>(
      request, [&](const Result<Ref<OcrResult>>& answer) { answered = answer.error().code; });
  // After the plugin has taken the request on, before a worker gets to it.
  ocr.kit.host().post([&call] { call.cancel(); });
  ocr.kit.pump();
  CHECK(answered == Code::Cancelled);
  CHECK(ocr.counted("lines_read_total") == 0);
  CHECK_FALSE(ocr.words(request.image).empty());
}

TEST_CASE("whatever memory is missing, the request fails, and the worker goes on") {
  Running ocr(R"({"workers":1,"queue":1})");
  OcrRequest request;
  request.image = draw(220, 30, kLight, {{"Text", 5, 5, 13}, {"Button", 120, 5, 13}});
  int missing = 0;  // which of the allocations
  for (bool read = false; !read; ++missing) {
    REQUIRE(missing < 1000);
    int nth = 0;
    const Allocations scarce([&] {
      if (nth++ != missing) return;
      if (missing % 2 == 0) throw std::bad_alloc();
      CV_Error(cv::Error::StsNoMem, "none is left");
    });
    const auto answer = ocr.ask(request);
    read = answer.ok();
    INFO("allocation " << missing);
    if (!read) REQUIRE(answer.error().code == Code::ResourceExhausted);
  }
  CHECK(missing > 5);  // contrast, lines, the engine's pictures, what is kept
  CHECK(ocr.words(request.image).size() == 2);
}

TEST_CASE("what goes wrong in a library fails the request and says so") {
  Running ocr(R"({"workers":1,"queue":1})");
  const Image image = draw(100, 30, kLight, {{"Text", 5, 5, 13}});
  {
    const Allocations broken([] { CV_Error(cv::Error::StsInternal, "no such size"); });
    OcrRequest request;
    request.image = image;
    const auto answer = ocr.ask(std::move(request));
    REQUIRE_FALSE(answer.ok());
    CHECK(answer.error().code == Code::Internal);
    CHECK(answer.error().message.find("no such size") != std::string::npos);
  }
  CHECK(ocr.words(image).size() == 1);
}

TEST_CASE("a caller who gives up while contrast is made has no lines looked for") {
  Running ocr;
  OcrRequest request;
  request.image = draw(100, 30, kLight, {});
  std::optional<Code> answered;
  auto call = ocr.kit.host().bus().call<OcrRead>(
      request, [&](const Result<Ref<OcrResult>>& answer) { answered = answer.error().code; });
  {
    const Allocations giving_up([&call] { call.cancel(); });
    ocr.kit.pump();
  }
  CHECK(answered == Code::Cancelled);
  // Its (empty) answer would have been kept for the next picture like it.
  CHECK(ocr.words(request.image).empty());
  CHECK(ocr.counted("pictures_unchanged_total") == 0);
  CHECK(ocr.words(request.image).empty());
  CHECK(ocr.counted("pictures_unchanged_total") == 1);
}

TEST_CASE("a picture full of dots ends: beyond a bound of looks its dots belong to no line") {
  cv::Mat ink = cv::Mat::zeros(1080, 1920, CV_8UC1);
  const auto draw_at = [&ink](int x, int y, int size) {
    ink(cv::Rect(x, y, size, size)).setTo(255);
  };
  for (int y = 0; y < ink.rows; y += 12) {
    for (int x = 0; x < ink.cols; x += 24) {
      draw_at(x, y, 6);
      for (int dot = 8; dot < 24; dot += 4) {
        for (int row = 0; row < 12; row += 4) draw_at(x + dot, y + row, 2);
      }
    }
  }
  const Page page = find_lines(ink);
  CHECK(page.lines.size() == 80 * 90);
  CHECK(page.looks == kMostLooks);

  // Marks of text look at the lines of their row only.
  cv::Mat text = cv::Mat::zeros(1080, 1920, CV_8UC1);
  ink(cv::Rect(0, 0, 7, 12)).copyTo(text(cv::Rect(0, 0, 7, 12)));
  for (int row = 0; row < 20; ++row) {
    text(cv::Rect(40, 40 + row * 50, 10, 10)).setTo(255);
    text(cv::Rect(52, 48 + row * 50, 2, 3)).setTo(255);
  }
  const Page rows = find_lines(text);
  REQUIRE(rows.lines.size() == 21);
  CHECK(rows.lines.back() == cv::Rect(40, 40 + 19 * 50, 14, 11));
  CHECK(rows.looks < 3 * 41);
}

TEST_CASE("requests beyond the queue are refused at once") {
  Running ocr(R"({"queue":1})");
  OcrRequest request;
  request.image = draw(100, 30, kLight, {{"Text", 5, 5, 13}});
  std::vector<Code> codes;
  for (int i = 0; i < 2; ++i) {
    ocr.kit.host().bus().call<OcrRead>(request, [&](const Result<Ref<OcrResult>>& answer) {
      codes.push_back(answer.ok() ? Code::Ok : answer.error().code);
    });
  }
  ocr.kit.pump();
  REQUIRE(codes.size() == 2);
  CHECK(std::count(codes.begin(), codes.end(), Code::Ok) == 1);
  CHECK(std::count(codes.begin(), codes.end(), Code::ResourceExhausted) == 1);
}

TEST_CASE("after idling everything is given up and read again") {
  Running ocr;
  const Image image = draw(100, 30, kLight, {{"Text", 5, 5, 13}});
  CHECK(ocr.words(image).size() == 1);
  ocr.kit.advance(std::chrono::seconds(44));
  CHECK(ocr.words(image).size() == 1);
  CHECK(ocr.counted("lines_read_total") == 1);
  ocr.kit.advance(std::chrono::seconds(91));
  CHECK(ocr.words(image).size() == 1);
  CHECK(ocr.counted("lines_read_total") == 2);
}

TEST_CASE("libraries start no threads of their own") {
  const auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  };
  const auto before = threads();
  Running ocr;
  CHECK_FALSE(ocr.words(draw(420, 240, kLight, form())).empty());
  CHECK(threads() == before);
}

}  // namespace
}  // namespace gantry::ocr_tesseract::test
