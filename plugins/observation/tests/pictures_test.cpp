// SPDX-License-Identifier: Apache-2.0
// Parts of pictures, and the words in them.
#include <catch2/catch.hpp>

#include "crops.hpp"
#include "fake_desktop.hpp"
#include "ocr.hpp"

namespace gantry::observation {
namespace {

using tests::Bench;
using tests::has;

/// A picture of `area` whose every pixel tells its place: blue the column, green the row.
Capture mapped_picture(Rect area, int scale = 1) {
  Capture out;
  out.area = area;
  out.image.width = area.width * scale;
  out.image.height = area.height * scale;
  out.image.stride = out.image.width * 4;
  std::vector<std::uint8_t> pixels;
  for (int y = 0; y < out.image.height; ++y) {
    for (int x = 0; x < out.image.width; ++x) {
      for (const int part : {x, y, 0, 255}) pixels.push_back(static_cast<std::uint8_t>(part));
    }
  }
  out.image.pixels = Buffer::of(std::move(pixels));
  return out;
}

OcrWord word(std::string text, Rect bbox, int line = 0, double confidence = 90) {
  return {std::move(text), confidence, bbox, line};
}

TEST_CASE("a crop is the wished part, cut to the picture and told from its corner") {
  const Capture picture = mapped_picture({100, 50, 60, 40});
  struct Row {
    Rect wish, area, source;
  };
  for (const Row& row : {Row{{110, 55, 20, 10}, {110, 55, 20, 10}, {10, 5, 20, 10}},
                         Row{{90, 40, 20, 20}, {100, 50, 10, 10}, {0, 0, 10, 10}},
                         Row{{150, 80, 99, 99}, {150, 80, 10, 10}, {50, 30, 10, 10}},
                         Row{{0, 0, 999, 999}, {100, 50, 60, 40}, {0, 0, 60, 40}}}) {
    const Crop cut = crop(picture, {row.wish, {}});
    CHECK(cut.area == row.area);
    REQUIRE(cut.source_bbox);
    CHECK(*cut.source_bbox == row.source);
    CHECK(cut.image.width == row.source.width);
    CHECK(cut.image.height == row.source.height);
    CHECK(cut.image.pixels.data()[0] == row.source.x);
    CHECK(cut.image.pixels.data()[1] == row.source.y);
    CHECK(cut.warning.empty());
  }
  const Crop beside = crop(picture, {Rect{0, 0, 50, 50}, {}});
  CHECK_FALSE(beside.source_bbox);
  CHECK(beside.image.width == 60);
  CHECK_FALSE(beside.warning.empty());
  const Crop fine = crop(mapped_picture({0, 0, 20, 20}, 2), {Rect{5, 6, 4, 3}, {}});
  CHECK(fine.image.width == 8);
  CHECK(fine.image.height == 6);
  CHECK(fine.image.pixels.data()[0] == 10);
}

TEST_CASE("a screenshot is cut to an element or a rectangle, with padding, and shrunk") {
  Bench bench;
  bench.desktop.picture = mapped_picture({0, 0, 200, 100});
  const auto element =
      bench.run("get_screenshot_cropped", R"({"element_id":"root.0","padding_px":4})");
  REQUIRE(element.ok);
  CHECK(has(element, R"("source_bbox":{"height":28,"width":58,"x":6,"y":6})"));
  CHECK(has(element, R"("window":"Main")"));
  CHECK(bench.desktop.capture_requests.back().target == CaptureTarget::Window);
  const auto named =
      bench.run("get_screenshot_cropped", R"({"selector":"//Button","padding_px":4})");
  CHECK(has(named, R"("source_bbox":{"height":28,"width":58,"x":6,"y":6})"));
  const auto box =
      bench.run("get_screenshot_cropped",
                R"({"bbox":{"x":2,"y":3,"width":40,"height":20},"padding_px":5,"max_width":10})");
  CHECK(has(box, R"("source_bbox":{"height":28,"width":47,"x":0,"y":0})"));
  CHECK(has(box, R"("width":10,)"));
  CHECK(has(box, "(full screen)"));
  CHECK(has(box, R"("height":5,)"));  // 28 * 10 / 47
  const auto whole = bench.run("get_screenshot_cropped", R"({"max_width":100})");
  CHECK(has(whole, R"("height":50)"));
  CHECK_FALSE(has(whole, "source_bbox"));
  const auto beside =
      bench.run("get_screenshot_cropped", R"({"bbox":{"x":900,"y":0,"width":4,"height":4}})");
  CHECK(beside.ok);
  CHECK_FALSE(has(beside, "source_bbox"));
  CHECK(has(beside, R"("warning":")"));
}

TEST_CASE("a scaled screenshot tells how to get back to screen pixels") {
  Bench bench;
  bench.desktop.picture = mapped_picture({40, 30, 200, 100});
  const auto as_it_is = bench.run("get_screenshot");
  CHECK(has(as_it_is, R"("width":200)"));
  CHECK_FALSE(has(as_it_is, "scale"));
  const auto scaled = bench.run("get_screenshot", R"({"max_edge":80,"image_format":"auto"})");
  CHECK(has(scaled, R"("bounds":{"height":100,"width":200,"x":40,"y":30})"));
  CHECK(has(scaled, R"("width":80)"));
  CHECK(has(scaled, R"("height":40)"));
  CHECK(has(scaled, R"("scale":{"x":2.5,"y":2.5})"));
  CHECK(has(scaled, R"(x = 40 + 2.5 * its column, y = 30 + 2.5 * its row)"));
  // What was kept for one wish is no answer to another.
  CHECK(has(bench.run("get_screenshot", R"({"max_edge":50})"), R"("width":50)"));
  CHECK(has(bench.run("get_full_screenshot", R"({"max_edge":20})"), R"("width":20)"));
  CHECK(has(bench.run("get_screenshot_cropped",
                      R"({"bbox":{"x":50,"y":40,"width":40,"height":20},"max_edge":10})"),
            R"("scale":{"x":4.0,"y":4.0})"));
  bench.desktop.picture = mapped_picture({0, 0, 200, 100});
  CHECK(has(bench.run("get_screenshot", R"({"max_edge":500})"),
            "Pixels of this picture are screen pixels."));
  CHECK(has(bench.run("get_screenshot", R"({"image_format":"jpeg"})"), R"("format":"jpeg")"));
  for (const char* wrong : {R"({"max_edge":-1})", R"({"max_edge":32768})",
                            R"({"max_image_bytes":999})", R"({"image_format":"webp"})"}) {
    INFO(wrong);
    CHECK(bench.run("get_screenshot", wrong).error_code == "BadRequest");
  }
}

TEST_CASE("a crop that cannot be meant is refused") {
  struct Row {
    const char* arguments;
    const char* code;
  };
  for (const Row& row : std::initializer_list<Row>{
           {R"({"bbox":{"x":1,"y":1,"width":5}})", "BadRequest"},
           {R"({"bbox":{"x":"a","y":1,"width":5,"height":5}})", "BadRequest"},
           {R"({"bbox":{"x":1,"y":1,"width":9223372036854775807,"height":5}})", "BadRequest"},
           {R"({"bbox":{"x":1,"y":1,"width":5,"height":5},"element_id":"root.0"})", "BadRequest"},
           {R"({"element_id":"root.0","padding_px":-1})", "BadRequest"},
           {R"({"element_id":"root.0","padding_px":2147483648})", "BadRequest"},
           {R"({"max_width":-1})", "BadRequest"},
           {R"({"element_id":"root.77"})", "ElementNotFound"},
           {R"({"window_uid":"t:gone"})", "WindowGone"}}) {
    INFO(row.arguments);
    Bench bench;
    CHECK(bench.run("get_screenshot_cropped", row.arguments).error_code == row.code);
    CHECK(bench.desktop.capture_requests.empty());
  }
}

TEST_CASE("what is hidden is painted over in a crop too") {
  const auto shot = [](bool password) {
    Bench bench;
    bench.desktop.picture = mapped_picture({0, 0, 200, 100});
    bench.desktop.a11y_tree->nodes[2].password = password;
    const auto result = bench.run("get_screenshot_cropped", R"({"element_id":"root.1"})");
    REQUIRE(result.ok);
    const std::size_t at = result.result.text.find(R"("data":")");
    return result.result.text.substr(at, result.result.text.find('"', at + 8) - at);
  };
  CHECK(shot(false) != shot(true));
  CHECK(shot(true).size() < shot(false).size() / 2);  // one flat colour
}

TEST_CASE("without a provider text recognition says what is missing, before anything else") {
  Bench bench;
  for (const char* arguments : {"{}", R"({"window_index":0})"}) {
    const auto result = bench.run("get_ocr", arguments);
    CHECK(result.error_code == "PlatformUnsupported");
    CHECK(has(result, R"("context":{"hint":"install and enable a plugin that provides )"
                      R"(gantry.ocr.read/1"})"));
    CHECK(has(result, R"("untrusted":true)"));
  }
  CHECK(bench.desktop.capture_requests.empty());
  CHECK_FALSE(bench.observer.status().ocr.available);
  Settings off;
  off.ocr.enabled = false;
  Bench disabled(off);
  disabled.desktop.with_ocr({word("OK", {0, 0, 5, 5})});
  const auto result = disabled.run("get_ocr", R"({"window_index":0})");
  CHECK(result.error_code == "PlatformUnsupported");
  CHECK(has(result, "ocr.enabled is false"));
  CHECK(disabled.desktop.ocr_requests.empty());
}

TEST_CASE("a provider that cannot work here has its reason and its cure passed on") {
  Bench bench;
  bench.desktop.with_ocr({});
  PluginInfo& reader = bench.desktop.plugin_list->plugins.back();
  reader.suitability = 0;
  reader.suitability_reason = "no eng.traineddata (cure: install the package tesseract-ocr-eng)";
  const auto result = bench.run("get_ocr", R"({"window_index":0})");
  CHECK(result.error_code == "PlatformUnsupported");
  CHECK(has(result, "no eng.traineddata"));
  CHECK(has(result, R"("hint":"install the package tesseract-ocr-eng")"));
  CHECK(bench.desktop.ocr_requests.empty());
}

TEST_CASE("recognised words are told from the part that was read, and on the screen") {
  Bench bench;
  bench.desktop.picture = mapped_picture({0, 0, 200, 100});
  bench.desktop.with_ocr({word("Hello", {1, 2, 20, 8}), word("dim", {30, 2, 9, 8}, 0, 12)});
  const auto result =
      bench.run("get_ocr",
                R"({"window_index":0,"element_id":"root.0","padding_px":2,"languages":"deu,eng"})");
  REQUIRE(result.ok);
  CHECK(has(result, R"("words":[{"bbox":{"height":8,"width":20,"x":1,"y":2},)"
                    R"("bounds":{"height":8,"width":20,"x":9,"y":10},"confidence":90,"line":0,)"
                    R"("text":"Hello"}])"));
  CHECK(has(result, R"("untrusted":true)"));
  CHECK(bench.observer.status().ocr.available);
  REQUIRE(bench.desktop.ocr_requests.size() == 1);
  const OcrRequest& request = bench.desktop.ocr_requests.back();
  CHECK(request.image.width == 54);
  CHECK(request.languages == std::vector<std::string>{"deu", "eng"});
  CHECK(request.min_confidence == kLeastConfidence);
  CHECK(request.mode == OcrMode::Fast);
  CHECK(has(bench.run("get_ocr", R"({"window_index":0,"min_confidence":5})"), R"("text":"dim")"));
  CHECK(bench.run("get_ocr", "{}").error_code == "BadRequest");
  CHECK(bench.run("get_ocr", R"({"window_index":0,"min_confidence":101})").error_code ==
        "BadRequest");
  CHECK(bench.run("get_ocr", R"({"window_index":0,"mode":"accurate"})").ok);
  CHECK(bench.desktop.ocr_requests.back().mode == OcrMode::Accurate);
  CHECK(bench.run("get_ocr", R"({"window_index":0,"mode":"quick"})").error_code == "BadRequest");
  bench.desktop.words = unavailable("no language data", "install some");
  CHECK(bench.run("get_ocr", R"({"window_index":0})").error_code == "PlatformUnsupported");
}

TEST_CASE("a provider fills the description and answers text_visible") {
  Bench bench;
  bench.desktop.with_ocr(
      {word("Two", {0, 0, 9, 8}), word("words", {12, 0, 9, 8}), word("below", {0, 12, 9, 8}, 1)});
  CHECK(has(bench.run("get_screen_description"), R"("ocr":"Two words\nbelow")"));
  CHECK(has(bench.run("assert_state",
                      R"({"predicate":[{"kind":"text_visible","regex":"Two w","mode":"ocr"}]})"),
            R"("all_passed":true)"));
  CHECK(has(bench.run("assert_state",
                      R"({"predicate":[{"kind":"text_visible","regex":"Three","mode":"ocr"}]})"),
            R"("all_passed":false)"));
}

TEST_CASE("rules hide recognised words: single ones, those of a line together, whole windows") {
  const auto words = [] {
    return std::vector<OcrWord>{word("id", {0, 0, 9, 8}),        word("123-45", {10, 0, 9, 8}),
                                word("card", {0, 10, 9, 8}, 1),  word("4000", {10, 10, 9, 8}, 1),
                                word("1234", {20, 10, 9, 8}, 1), word("free", {0, 20, 9, 8}, 2)};
  };
  GuardRules rules;
  rules.version = 1;
  rules.replacement = "[x]";
  rules.max_text = 1000;
  rules.ocr_text_patterns = {R"(\d{3}-\d\d)", R"(\d{4} \d{4})"};
  rules.window_title_patterns = {"^Vault"};
  Redaction redaction;
  REQUIRE(redaction.set_rules(rules).ok());
  std::vector<OcrWord> shown = words();
  redact_words(shown, redaction, "Main");
  CHECK(lines_of(shown) == "id [x]\n[x] [x] [x]\nfree");
  shown = words();
  redact_words(shown, redaction, "Vault 7");
  CHECK(lines_of(shown) == "[x] [x]\n[x] [x] [x]\n[x]");
}

TEST_CASE("what trees hide does not come back as recognised words") {
  Bench bench;
  bench.desktop.picture = mapped_picture({0, 0, 200, 100});
  bench.desktop.with_ocr({word("hunter2", {12, 42, 30, 10}), word("OK", {12, 12, 10, 10}, 1)});
  bench.desktop.a11y_tree->nodes[2].password = true;
  const auto result = bench.run("get_ocr", R"({"window_index":0})");
  REQUIRE(result.ok);
  CHECK_FALSE(has(result, "hunter2"));
  CHECK(has(result, R"("text":"OK")"));
}

}  // namespace
}  // namespace gantry::observation
