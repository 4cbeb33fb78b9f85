// SPDX-License-Identifier: Apache-2.0
// The section of a description that a vision model writes: what it is shown and told, what becomes
// of what it says, and what stands there when there is none.
#include <catch2/catch.hpp>

#include "fake_desktop.hpp"
#include "vision.hpp"

namespace gantry::observation {
namespace {

using tests::Bench;
using tests::has;

constexpr int kGround = 7;  // every byte of the picture

Settings seeing() {
  Settings settings;
  settings.vlm.enabled = true;
  return settings;
}

/// A bench whose focused window has a picture as large as itself, and no other window beside it.
struct Seeing : Bench {
  explicit Seeing(const Settings& settings = seeing()) : Bench(settings) {
    desktop.window_list->windows.erase(desktop.window_list->windows.begin());
    desktop.picture->image = {200, 100, 800, PixelFormat::Bgrx8,
                              Buffer::of(std::vector<std::uint8_t>(80'000, kGround))};
    desktop.picture->area = {0, 0, 200, 100};
  }

  [[nodiscard]] const VisionDescribeRequest& shown() const {
    return desktop.describe_requests.back();
  }
  /// Whether the picture that was shown has the ground's colour there.
  [[nodiscard]] bool shows(int x, int y) const {
    const Image& image = shown().image;
    return image.pixels.data()[y * image.stride + x * 4] == kGround;
  }
  /// All texts that went along with it.
  [[nodiscard]] std::string told() const {
    std::string out;
    for (const OcrWord& word : shown().words) out += word.text + '|';
    for (const VisualElement& element : shown().elements) out += element.text + '|';
    return out;
  }
};

GuardRules rules_of(std::uint64_t version) {
  GuardRules rules;
  rules.version = version;
  rules.replacement = "[x]";
  rules.max_text = 1000;
  return rules;
}

TEST_CASE("a vision model writes a section, apart and in the whole, and is named") {
  Seeing bench;
  bench.desktop.with_vision({"A form with one field.", "eye-1", false, 42});
  const auto result = bench.run("get_screen_description");
  REQUIRE(result.ok);
  CHECK(has(result, R"("vlm":"A form with one field.")"));
  CHECK(has(result, R"(\n\n[vlm]\nA form with one field.")"));
  CHECK(has(result, R"("vlm_route":"eye-1")"));
  CHECK(has(result, R"("untrusted":true)"));
  CHECK(has(result, R"("effective_mode":"combined")"));
  CHECK_FALSE(has(result, "vlm_error_code"));
  REQUIRE(bench.desktop.capture_requests.size() == 1);
  CHECK(bench.desktop.capture_requests[0].target == CaptureTarget::Window);
  CHECK(bench.shown().image.width == 200);
  CHECK(bench.shown().max_chars == 0);
  CHECK(has(bench.run("get_capabilities"), R"("vlm":true)"));
  CHECK(bench.observer.status().vlm.available);

  CHECK(
      has(bench.run("get_screen_description", R"({"max_tokens":3})"), R"(A form with \u2026 [t)"));
  CHECK(bench.shown().max_chars == 12);
}

TEST_CASE("where nothing describes pictures the section says so, and what cures it") {
  Seeing bench;
  const auto none = bench.run("get_screen_description");
  CHECK(none.ok);
  CHECK(has(none, R"("vlm":"[Vision model unavailable: no plugin of this installation serves )"
                  R"(gantry.vision.describe/1. To have it: install)"));
  CHECK(has(none, R"("vlm_error_code":"PlatformUnsupported")"));
  CHECK(has(bench.run("get_capabilities"), R"("vlm":false)"));
  CHECK_FALSE(bench.observer.status().vlm.available);

  bench.desktop.with_vision({"never", "eye-1", false, 1});
  PluginInfo& eye = bench.desktop.plugin_list->plugins.back();
  eye.suitability = 0;
  eye.suitability_reason = "no model is configured (cure: set plugins.eye.config.model)";
  const auto refused = bench.run("get_screen_description");
  CHECK(has(refused, "no model is configured. To have it: set plugins.eye.config.model]"));
  CHECK(bench.desktop.describe_requests.empty());
  CHECK(bench.desktop.capture_requests.empty());
}

TEST_CASE("a model that is not switched on is shown nothing") {
  Seeing bench(Settings{});
  bench.desktop.with_vision({"never", "eye-1", false, 1});
  CHECK_FALSE(has(bench.run("get_screen_description"), R"("vlm)"));
  CHECK(has(bench.run("get_capabilities"), R"("vlm":false)"));
  CHECK(bench.desktop.describe_requests.empty());
}

TEST_CASE("a model that fails leaves the rest of the description") {
  struct Row {
    Error error;
    const char* code;
  };
  for (const Row& row :
       {Row{unavailable("the model at http://127.0.0.1:1 does not answer"), "PlatformUnsupported"},
        Row{Error{Code::DeadlineExceeded, "it thinks", {}}, "Timeout"},
        Row{Error{Code::ResourceExhausted, "4 questions are under way", {}}, "RateLimited"},
        Row{internal_error("broken"), "Internal"}}) {
    INFO(row.error.message);
    Seeing bench;
    bench.desktop.with_vision({});
    bench.desktop.on_describe = [&](const auto&) { return row.error; };
    const auto result = bench.run("get_screen_description");
    CHECK(result.ok);
    CHECK(has(result, "[Vision model failed: " + row.error.message + "]"));
    CHECK(has(result, R"("vlm_error_code":")" + std::string(row.code) + '"'));
    CHECK(has(result, "Application : app"));
  }
  Seeing blind;
  blind.desktop.with_vision({"never", "eye-1", false, 1});
  blind.desktop.picture = failed_precondition("window a is minimised");
  CHECK(has(blind.run("get_screen_description"), R"("vlm_error_code":"WindowOccluded")"));
}

TEST_CASE("a model is told the words and elements of the window where the operator wants it") {
  Settings settings = seeing();
  Seeing bench(settings);
  bench.desktop.with_vision({"seen", "eye-1", false, 1});
  bench.desktop.with_ocr({{"Hello", 90, {2, 2, 20, 8}, 0}});
  bench.desktop.a11y_tree->nodes[1].bounds = {190, 10, 50, 20};  // half of it beside the window
  REQUIRE(bench.run("get_screen_description").ok);
  CHECK(bench.told() == "Hello|OK|Name|");
  REQUIRE(bench.shown().elements.size() == 2);
  CHECK(bench.shown().elements[0].bbox == Rect{190, 10, 10, 20});
  CHECK(bench.shown().elements[0].kind == "control");
  CHECK(bench.shown().elements[0].role == "Button");
  CHECK(bench.shown().elements[0].source == "a11y");
  CHECK(bench.desktop.ocr_requests.size() == 1);  // what is read for the section is enough

  settings.vlm.ground_with_tree = false;
  settings.vlm.ground_with_ocr = false;
  bench.observer.reconfigure(settings);
  REQUIRE(bench.run("get_screen_description").ok);
  CHECK(bench.told().empty());
}

TEST_CASE("boxes that go along count pixels of a picture that is scaled") {
  Seeing bench;
  bench.desktop.with_vision({"seen", "eye-1", false, 1});
  bench.desktop.picture->image = {400, 200, 1600, PixelFormat::Bgrx8,
                                  Buffer::of(std::vector<std::uint8_t>(320'000, kGround))};
  REQUIRE(bench.run("get_screen_description").ok);
  CHECK(bench.shown().elements[0].bbox == Rect{20, 20, 100, 40});
}

TEST_CASE("one element is described from its part of the picture") {
  Seeing bench;
  bench.desktop.with_vision({"a field", "eye-1", false, 1});
  bench.desktop.with_ocr({{"Hello", 90, {2, 2, 20, 8}, 0}});
  REQUIRE(bench.run("get_screen_description", R"({"focus_element":"root.1"})").ok);
  CHECK(bench.shown().image.width == 100);
  CHECK(bench.shown().image.height == 20);
  // The words' boxes are those of another part.
  CHECK(bench.told() == "Name|");
  CHECK(bench.shown().elements[0].bbox == Rect{0, 0, 100, 20});
}

TEST_CASE("a model is shown and told nothing that trees hide") {
  Seeing bench;
  bench.desktop.with_vision({"seen", "eye-1", false, 1});
  bench.desktop.a11y_tree->nodes[2].name = "PIN";
  bench.desktop.with_ocr({{"1234", 90, {12, 42, 30, 8}, 0}, {"OK", 90, {12, 12, 20, 8}, 1}});
  REQUIRE(bench.run("get_screen_description").ok);
  CHECK(bench.shows(50, 50));
  CHECK(bench.told() == "1234|OK|OK|PIN|");

  if (GENERATE(false, true)) {
    // Passwords, without any rule.
    bench.desktop.a11y_tree->nodes[2].password = true;
    bench.observer.engine().trees.forget_all();
  } else {
    // Elements by a rule, also where screenshots are not painted over.
    GuardRules rules = rules_of(1);
    rules.element_name_patterns = {"^PIN$"};
    REQUIRE(bench.observer.engine().take_rules(rules).ok());
  }
  REQUIRE(bench.run("get_screen_description").ok);
  CHECK_FALSE(bench.shows(50, 50));
  CHECK(bench.shows(20, 20));  // the button
  CHECK(bench.told().find("1234") == std::string::npos);
  CHECK(bench.told().find("OK") != std::string::npos);
}

TEST_CASE("another hidden window in front of it is painted over as well") {
  Seeing bench;
  bench.desktop.with_vision({"seen", "eye-1", false, 1});
  WindowInfo vault = bench.desktop.window_list->windows.front();
  vault.uid = vault.handle = "vault";
  vault.title = "Vault";
  vault.focused = false;
  vault.stacking = 5;
  vault.bounds = vault.frame = {150, 60, 40, 30};
  bench.desktop.window_list->windows.push_back(vault);
  GuardRules rules = rules_of(1);
  rules.window_title_patterns = {"^Vault"};
  REQUIRE(bench.observer.engine().take_rules(rules).ok());
  REQUIRE(bench.run("get_screen_description").ok);
  CHECK_FALSE(bench.shows(170, 70));
  CHECK(bench.shows(20, 80));
}

TEST_CASE("of a window that is hidden as a whole no picture is taken") {
  Seeing bench;
  bench.desktop.with_vision({"the secret plan", "eye-1", false, 1});
  GuardRules rules = rules_of(1);
  rules.window_title_patterns = {"^Main"};
  REQUIRE(bench.observer.engine().take_rules(rules).ok());
  const auto result = bench.run("get_screen_description");
  CHECK(result.ok);
  CHECK(has(result, R"("vlm":"[x]")"));
  CHECK_FALSE(has(result, "secret plan"));
  CHECK(bench.desktop.describe_requests.empty());
  CHECK(bench.desktop.capture_requests.empty());
}

TEST_CASE("what a model says is redacted and cleaned as other texts of the screen are") {
  Seeing bench;
  bench.desktop.with_vision(
      {"Account 4000 1234 of \x1b[31mAnn\x1b[0m in Vault 7. \xE2\x80\xAEIgnore", "eye-1", false,
       1});
  GuardRules rules = rules_of(1);
  rules.ocr_text_patterns = {R"(\d{4} \d{4})"};
  rules.window_title_patterns = {"^Vault"};
  REQUIRE(bench.observer.engine().take_rules(rules).ok());
  WindowInfo vault = bench.desktop.window_list->windows.front();
  vault.uid = vault.handle = "vault";
  vault.title = "Vault 7";
  vault.focused = false;
  vault.bounds = vault.frame = {500, 0, 40, 30};
  bench.desktop.window_list->windows.push_back(vault);
  const auto result = bench.run("get_screen_description");
  CHECK(has(result, R"("vlm":"Account [x] of Ann in [x]. Ignore")"));
  CHECK_FALSE(has(result, "4000 1234"));
  CHECK_FALSE(has(result, "Vault 7"));
}

TEST_CASE("what was typed in secret is not told by a model either") {
  Seeing bench;
  bench.desktop.with_vision({"The field says correct-horse.", "eye-1", false, 1});
  bench.observer.engine().redaction.remember("correct-horse");
  CHECK_FALSE(has(bench.run("get_screen_description"), "correct-horse"));
}

/// A call that has to end soon.
class ShortLife final : public Life {
 public:
  explicit ShortLife(std::int64_t deadline_ns) : deadline_ns_(deadline_ns) {}
  [[nodiscard]] std::int64_t deadline_ns() const override { return deadline_ns_; }

 private:
  std::int64_t deadline_ns_;
};

TEST_CASE("a model gets no more time than leaves some for the answer") {
  Seeing bench;
  bench.desktop.with_vision({"seen", "eye-1", false, 1});
  const auto within = [&](std::int64_t seconds) {
    ObserverToolRequest request;
    request.tool = "get_screen_description";
    const auto life = std::make_shared<ShortLife>(bench.desktop.now_ns + seconds * 1'000'000'000);
    std::optional<ObserverToolResult> result;
    RunningTasks running;
    spawn(
        running, bench.observer.run(make_body<ObserverToolRequest>(std::move(request)), life),
        [&](ObserverToolResult done) { result = std::move(done); }, [](const auto&) {});
    return std::move(result).value();
  };
  CHECK(within(60).ok);
  REQUIRE(bench.desktop.describe_limits.size() == 1);
  CHECK(bench.desktop.describe_limits[0] == 58'000'000'000);
  const auto late = within(1);
  CHECK(late.ok);
  CHECK(has(late, R"("vlm_error_code":"Timeout")"));
  CHECK(bench.desktop.describe_limits.size() == 1);
}

}  // namespace
}  // namespace gantry::observation
