// SPDX-License-Identifier: Apache-2.0
// The plugin on pictures that the tests draw, with the model files and without.
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>

#include "ppocr_plugin.hpp"
#include "rendered_text.hpp"
#include "striped_text.hpp"

#include <gantry/onnx/test_models.hpp>
#include <gantry/testkit/fake_host.hpp>
#include <gantry/testkit/temp_dir.hpp>

namespace gantry::ocr_ppocr::test {
namespace {

namespace fs = std::filesystem;
using namespace ocr::test;

const std::initializer_list<std::string_view> kFiles = {
    "onnxruntime/libonnxruntime.so", "ppocr/det.onnx", "ppocr/rec.onnx", "ppocr/keys.txt"};

struct Running {
  explicit Running(const fs::path& models) {
    const auto loaded =
        kit.load<PpocrPlugin>("ocr_ppocr", R"({"models_dir":")" + models.string() + R"("})");
    INFO((loaded.ok() ? std::string() : loaded.error().message));
    REQUIRE(loaded.ok());
  }
  Ref<OcrResult> read(const Image& image, OcrMode mode = OcrMode::Fast,
                      std::vector<std::string> languages = {}) {
    OcrRequest request;
    request.image = image;
    request.mode = mode;
    request.languages = std::move(languages);
    const auto answer = kit.host().bus().call_wait<OcrRead>(std::move(request));
    INFO((answer.ok() ? std::string() : answer.error().message));
    REQUIRE(answer.ok());
    return *answer;
  }
  double counted(std::string_view name) const { return kit.metric("ocr_ppocr", name); }

  testkit::FakeHost kit;
};

std::string joined(const OcrResult& result) {
  std::string out;
  for (const OcrWord& word : result.words) out += (out.empty() ? "" : " ") + word.text;
  return out;
}

std::vector<Label> form() {
  return {{"File", 10, 8, 13},
          {"Edit", 90, 8, 13},
          {"Name of the project", 10, 60, 13},
          {"Gantry", 260, 60, 13},
          {"Due on Monday", 10, 130, 13},
          {"Save changes", 260, 200, 13}};
}
const std::string kForm = "File Edit Name of the project Gantry Due on Monday Save changes";

/// The folder of models with some of its files.
void link_models(const testkit::TempDir& dir, std::initializer_list<std::string_view> files) {
  for (const auto file : files) {
    fs::create_directories((dir.path() / file).parent_path());
    fs::create_symlink(onnx::test_models_dir() / file, dir.path() / file);
  }
}

TEST_CASE("without the model files Tesseract reads alone, and health names the cure") {
  testkit::TempDir nothing;
  Running ocr(nothing.path());
  CHECK(ocr.kit.suitability("ocr_ppocr") == 50);
  const auto& health = ocr.kit.health().at("ocr_ppocr/models");
  CHECK(health.state == GANTRY_HEALTH_DEGRADED);
  CHECK(health.cure == "run: gantry models fetch onnxruntime");
  for (const OcrMode mode : {OcrMode::Fast, OcrMode::Accurate}) {
    const auto result = ocr.read(draw(420, 240, kLight, form()), mode);
    CHECK(joined(*result) == kForm);
    CHECK(result->route.starts_with("Tesseract 5"));
  }
}

TEST_CASE("a file that is no model is told once, and Tesseract reads alone") {
  if (!onnx::have_models(kFiles)) {
    SUCCEED("skipped");
    return;
  }
  const auto* broken = GENERATE("ppocr/det.onnx", "ppocr/rec.onnx", "ppocr/keys.txt");
  testkit::TempDir dir;
  for (const auto file : kFiles) {
    if (file != broken) link_models(dir, {file});
  }
  (void)dir.write(broken, "this is not what it should be\n");
  Running ocr(dir.path());
  CHECK(ocr.kit.suitability("ocr_ppocr") == 80);  // it is only seen when it is opened
  const auto result = ocr.read(draw(420, 240, kDark, form()), OcrMode::Accurate);
  CHECK(joined(*result) == kForm);
  const auto& health = ocr.kit.health().at("ocr_ppocr/models");
  CHECK(health.state == GANTRY_HEALTH_DEGRADED);
  CHECK(health.cure == "run: gantry models fetch ppocr");
  CHECK(joined(*ocr.read(draw(300, 40, kDark, {{"Once more", 10, 10, 14}}))) == "Once more");
}

TEST_CASE("text is read in both modes, dark on light and light on dark") {
  if (!onnx::have_models(kFiles)) {
    SUCCEED("skipped");
    return;
  }
  Running ocr(onnx::test_models_dir());
  CHECK(ocr.kit.health().at("ocr_ppocr/models").state == GANTRY_HEALTH_OK);
  const auto mode = GENERATE(OcrMode::Fast, OcrMode::Accurate);
  for (const Palette& palette : {kLight, kDark}) {
    std::vector<Rect> boxes;
    const auto result = ocr.read(draw(420, 240, palette, form(), &boxes), mode);
    INFO(joined(*result));
    CHECK(edits(joined(*result), kForm) <= 1);
    CHECK(result->route.starts_with("PP-OCRv4"));
    for (const OcrWord& word : result->words) {
      if (word.text != "Gantry") continue;
      CHECK(std::abs(word.bbox.x - boxes[3].x) <= 6);
      CHECK(std::abs(word.bbox.y - boxes[3].y) <= 6);
      CHECK(word.confidence > 60);
    }
  }
}

TEST_CASE("what is written on buttons and close to them is read, and read again after a change") {
  if (!onnx::have_models(kFiles)) {
    SUCCEED("skipped");
    return;
  }
  Running ocr(onnx::test_models_dir());
  const Palette violet{{0.56, 0.16, 0.68}, {1, 1, 1}};
  std::vector<Label> labels = {{"Field pattern convert", 30, 20, 15, violet, true},
                               {"Template (68 %)", 300, 20, 13, violet, true},
                               {"Display protect project session", 24, 45, 14},
                               {"Network follow", 300, 60, 17, violet, true},
                               {"Text layout support", 310, 89, 16}};
  const auto words = [&](Running& with) {
    return joined(*with.read(draw(600, 400, kLight, labels)));
  };
  CHECK(words(ocr) ==
        "Field pattern convert Template (68 %) Display protect project session Network follow "
        "Text layout support");
  labels[0].text = "Field pattern change";
  const std::string changed = words(ocr);
  CHECK(ocr.counted("words_kept_total") > 0);
  Running afresh(onnx::test_models_dir());
  CHECK(changed == words(afresh));
}

TEST_CASE("text on stripes is read as on plain ground, and only its new words after a change") {
  if (!onnx::have_models(kFiles)) {
    SUCCEED("skipped");
    return;
  }
  const auto stripes = GENERATE(kPastel, kNight);
  Running ocr(onnx::test_models_dir());
  std::vector<Label> labels = {{"Gallery refresh shortcut connect", 30, 20, 13},
                               {"Window username change", 30, 70, 14},
                               {"Primary alignment backup", 300, 72, 12},
                               {"Sort option of the theme", 40, 120, 17}};
  const auto words = [&](Running& with) {
    return joined(*with.read(on_stripes(600, 160, stripes, labels)));
  };
  CHECK(words(ocr) ==
        "Gallery refresh shortcut connect Window username change Primary alignment backup "
        "Sort option of the theme");
  labels[1].text = "Window language change";
  const std::string changed = words(ocr);
  CHECK(ocr.counted("words_kept_total") > 0);
  Running afresh(onnx::test_models_dir());
  CHECK(changed == words(afresh));
}

TEST_CASE("every layout of pixels is read by both networks") {
  if (!onnx::have_models(kFiles)) {
    SUCCEED("skipped");
    return;
  }
  Running ocr(onnx::test_models_dir());
  for (const auto format :
       {PixelFormat::Gray8, PixelFormat::Rgb8, PixelFormat::Rgba8, PixelFormat::Bgra8}) {
    const Image image =
        as_format(draw(300, 60, kDark, {{"Untitled Document", 30, 20, 15}}), format);
    CHECK(joined(*ocr.read(image, OcrMode::Accurate)) == "Untitled Document");
  }
}

TEST_CASE("a changed word is found and read again and no other") {
  if (!onnx::have_models(kFiles)) {
    SUCCEED("skipped");
    return;
  }
  Running ocr(onnx::test_models_dir());
  std::vector<Label> labels = form();
  CHECK(joined(*ocr.read(draw(900, 700, kLight, labels))) == kForm);
  const double lines = ocr.counted("lines_read_total");
  CHECK(joined(*ocr.read(draw(900, 700, kLight, labels))) == kForm);
  CHECK(ocr.counted("pictures_unchanged_total") == 1);
  labels[4].text = "Due on Friday";
  const auto changed = ocr.read(draw(900, 700, kLight, labels));
  CHECK(joined(*changed) == "File Edit Name of the project Gantry Due on Friday Save changes");
  CHECK(ocr.counted("lines_read_total") == lines + 1);
  CHECK(ocr.counted("words_kept_total") == 2);  // "Due on"

  // Another mode reads the lines that are known anew.
  const auto accurate = ocr.read(draw(900, 700, kLight, labels), OcrMode::Accurate);
  CHECK(joined(*accurate) == joined(*changed));
  CHECK(ocr.counted("lines_read_total") > lines + 1);
}

TEST_CASE("long lines around a changed word stay whole") {
  if (!onnx::have_models(kFiles)) {
    SUCCEED("skipped");
    return;
  }
  Running ocr(onnx::test_models_dir());
  std::vector<Label> labels = {
      {"Meeting on Thursday at 14:30", 380, 112, 13},
      {"Due on Monday", 10, 130, 13},
      {"Pack my box with five dozen jugs, then send it to the harbour", 10, 148, 13}};
  std::string expected = joined(*ocr.read(draw(900, 700, kLight, labels)));
  const std::size_t day = expected.find("Monday");
  REQUIRE(day != std::string::npos);
  expected.replace(day, 6, "Friday");
  labels[1].text = "Due on Friday";
  CHECK(joined(*ocr.read(draw(900, 700, kLight, labels))) == expected);
  CHECK(ocr.counted("lines_read_total") == 4);
}

TEST_CASE("where a language has letters that the network lacks, Tesseract is asked too") {
  if (!onnx::have_models(kFiles)) {
    SUCCEED("skipped");
    return;
  }
  Running ocr(onnx::test_models_dir());
  const Image image = draw(400, 60, kLight, {{"Größe ändern und schließen", 20, 20, 16}});
  const auto mode = GENERATE(OcrMode::Fast, OcrMode::Accurate);
  CHECK(joined(*ocr.read(image, mode, {"deu"})) == "Größe ändern und schließen");
}

TEST_CASE("pictures without text have no words, and tiny ones do no harm") {
  if (!onnx::have_models(kFiles)) {
    SUCCEED("skipped");
    return;
  }
  Running ocr(onnx::test_models_dir());
  for (const OcrMode mode : {OcrMode::Fast, OcrMode::Accurate}) {
    CHECK(ocr.read(draw(200, 100, kLight, {}), mode)->words.empty());
    CHECK(ocr.read(draw(1, 1, kDark, {}), mode)->words.empty());
    CHECK(ocr.read(draw(3, 2, kLight, {{"x", 0, 0, 40}}), mode)->words.empty());
  }
}

TEST_CASE("after idling everything is given up and read again, and no thread is left") {
  if (!onnx::have_models(kFiles)) {
    SUCCEED("skipped");
    return;
  }
  const auto threads = [] { return std::distance(fs::directory_iterator("/proc/self/task"), {}); };
  const auto before = threads();
  Running ocr(onnx::test_models_dir());
  const Image image = draw(200, 60, kLight, {{"Text", 20, 20, 15}});
  CHECK(joined(*ocr.read(image, OcrMode::Accurate)) == "Text");
  CHECK(threads() > before);  // the detector's second one
  ocr.kit.advance(std::chrono::seconds(121));
  CHECK(threads() == before);
  CHECK(joined(*ocr.read(image, OcrMode::Accurate)) == "Text");
  CHECK(ocr.counted("lines_read_total") == 2);
}

}  // namespace
}  // namespace gantry::ocr_ppocr::test
