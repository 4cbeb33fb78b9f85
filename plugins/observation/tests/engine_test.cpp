// SPDX-License-Identifier: Apache-2.0
// Tools against a fake desktop: what they answer, and what they ask of the adapters.
#include <catch2/catch.hpp>
#include <gantry/contracts/a11y.hpp>
#include <gantry/contracts/input.hpp>
#include <gantry/contracts/window.hpp>

#include <unistd.h>

#include <filesystem>

#include "fake_desktop.hpp"

namespace gantry::observation {
namespace {

using tests::Bench;
using tests::has;

/// The value of a text member of the answer.
std::string text_member(const ObserverToolResult& result, const std::string& name) {
  const std::string key = '"' + name + "\":\"";
  const std::size_t at = result.result.text.find(key);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + key.size();
  return result.result.text.substr(begin, result.result.text.find('"', begin) - begin);
}

TEST_CASE("list_windows answers as published, the focused window first") {
  Bench bench;
  CHECK(
      bench.run("list_windows").result.text ==
      R"({"caused_by_step_id":null,"count":2,"is_mock":false,"ok":true,"step_id":1,"success":true,)"
      R"("untrusted":true,"windows":[)"
      R"({"bounds":{"height":100,"width":200,"x":0,"y":0},"focused":true,"handle":"a","index":0,)"
      R"("pid":42,"process":"app","title":"Main","window_uid":"t:a"},)"
      R"({"bounds":{"height":100,"width":100,"x":500,"y":0},"focused":false,"handle":"b","index":1,)"
      R"("pid":42,"process":"app","title":"Other","window_uid":"t:b"}]})");
}

TEST_CASE("windows carry their monitor's scale when there are monitors") {
  Bench bench;
  MonitorInfo monitor;
  monitor.primary = true;
  monitor.scale = 2.0;
  monitor.bounds = {0, 0, 1920, 1080};
  bench.desktop.monitor_list = MonitorList{{monitor}};
  const auto result = bench.run("list_windows");
  CHECK(has(result, R"("logical_bounds":{"height":50,"width":100,"x":0,"y":0})"));
  CHECK(has(result, R"("scale_factor":2.0)"));
}

TEST_CASE("steps count up, and reads name the input before them") {
  Bench bench;
  CHECK(has(bench.run("list_windows"), R"("caused_by_step_id":null)"));
  CHECK(has(bench.run("click_at", R"({"x":5,"y":6})"), R"("caused_by_step_id":2)"));
  CHECK(has(bench.run("list_windows"), R"("caused_by_step_id":2,)"));
  CHECK_FALSE(bench.run("press_key", R"({"keys":""})").ok);
  CHECK(has(bench.run("get_monitors"), R"("caused_by_step_id":4)"));
  CHECK(bench.observer.status().step_count == 5);
}

TEST_CASE("plain answers have no envelope and take no step") {
  Bench bench;
  const auto result = bench.run("get_screenshot", "{}", true);
  CHECK(result.ok);
  CHECK_FALSE(has(result, "step_id"));
  CHECK_FALSE(has(result, "\"ok\""));
  CHECK(bench.observer.status().step_count == 0);
}

TEST_CASE("an unknown tool and bad arguments take no step") {
  Bench bench;
  CHECK(bench.run("nope").result.text ==
        R"({"error":{"code":"BadRequest","context":{},"message":"unknown tool: nope",)"
        R"("recoverable":false,"suggested_next_tool":null},"ok":false,"success":false})");
  CHECK(bench.run("list_windows", "[1]").error_code == "BadRequest");
  CHECK(bench.observer.status().step_count == 0);
}

TEST_CASE("a stale uid is WindowGone with the whole error object") {
  Bench bench;
  const auto result = bench.run("get_window_structure", R"({"window_uid":"t:gone"})");
  CHECK(result.error_code == "WindowGone");
  CHECK(result.result.text ==
        R"({"error":{"code":"WindowGone","context":{"did_you_mean":[)"
        R"({"title":"Main","window_uid":"t:a"},{"title":"Other","window_uid":"t:b"}],)"
        R"("window_uid":"t:gone"},"message":)"
        R"("no window has window_uid 't:gone'; 2 windows are open, list_windows names them",)"
        R"("recoverable":true,"suggested_next_tool":"list_windows"},"ok":false,"step_id":1,)"
        R"("success":false,"untrusted":true})");
}

TEST_CASE("reads take the focused window for an index that is none, and say so") {
  Bench bench;
  const auto result = bench.run("get_window_structure", R"({"window_index":7})");
  CHECK(result.ok);
  CHECK(text_member(result, "window") == "Main");
  CHECK(text_member(result, "warning") ==
        "no window has window_index 7; the focused window was used instead");
  CHECK(bench.run("get_window_structure", R"({"window_index":"abc"})").error_code == "BadRequest");
  CHECK(text_member(bench.run("get_window_structure", R"({"window_index":"1"})"), "window") ==
        "Other");
}

TEST_CASE("a tree is captured once and then comes from the cache until something happens") {
  Bench bench;
  CHECK(has(bench.run("get_window_structure"), R"("cache":"miss")"));
  CHECK(has(bench.run("get_window_structure"), R"("cache":"hit")"));
  CHECK(bench.desktop.tree_reads == 1);

  SECTION("it gets old") {
    bench.desktop.now_ns += 2'000'000'001;
    CHECK(has(bench.run("get_window_structure"), R"("cache":"miss")"));
  }
  SECTION("an input is made") {
    // Read again to see what is at the point, and once more to see what came of it.
    CHECK(bench.run("click_at", R"({"x":5,"y":6})").ok);
    CHECK(bench.desktop.tree_reads == 3);
  }
  SECTION("its application reports a change") {
    bench.observer.engine().trees.forget_process(42);
    CHECK(has(bench.run("get_window_structure"), R"("cache":"miss")"));
  }
  SECTION("another application reports a change") {
    bench.observer.engine().trees.forget_process(43);
    CHECK(has(bench.run("get_window_structure"), R"("cache":"hit")"));
  }
  SECTION("the sketch always looks anew") {
    CHECK(bench.run("get_screen_sketch").ok);
    CHECK(bench.desktop.tree_reads == 2);
  }
}

TEST_CASE("structure has hash, token and the mark of a sparse tree") {
  Bench bench;
  const auto result = bench.run("get_window_structure");
  CHECK(text_member(result, "tree_hash").starts_with("sha1:"));
  CHECK(text_member(result, "tree_token").starts_with("tt:"));
  CHECK(has(result,
            R"("degraded":{"named_node_count":2,"reason":"sparse_accessibility_tree",)"
            R"("suggested_fallbacks":["get_ocr","get_screen_description"],"threshold":5})"));
  const auto scoped = bench.run("get_window_structure", R"({"scope":"root.1"})");
  CHECK(has(scoped, R"("tree_token":null)"));
  CHECK(has(scoped, R"("element_count":1)"));
  CHECK_FALSE(has(scoped, "degraded"));
  const auto missing = bench.run("get_window_structure", R"({"scope":"root.9"})");
  CHECK(missing.error_code == "ElementNotFound");
  CHECK(missing.message == "no element with id 'root.9' to scope to");
}

TEST_CASE("depth is clamped, and what is no number is refused") {
  Bench bench;
  CHECK(has(bench.run("get_window_structure", R"({"depth":99})"), R"("depth_used":8,)"));
  CHECK(has(bench.run("get_window_structure", R"({"depth":-1})"), R"("depth_used":0,)"));
  CHECK(bench.run("get_window_structure", R"({"depth":"x"})").message ==
        "depth must be an integer, found 'x'");
}

TEST_CASE("a window without a tree says why, and when to wait") {
  Bench bench;
  bench.desktop.a11y_tree = not_found("no accessible application owns window a");
  const auto missing = bench.run("get_window_structure");
  CHECK(missing.error_code == "PlatformUnsupported");
  CHECK(missing.message ==
        "Could not retrieve element tree for this window: no accessible application owns window a");
  bench.desktop.a11y_tree = Error{Code::DeadlineExceeded, "app does not answer", {}};
  CHECK(bench.run("get_window_structure").error_code == "Timeout");
  bench.desktop.a11y_tree = A11yTree{};
  CHECK_FALSE(bench.run("get_window_structure").ok);
}

TEST_CASE("an adapter's own reason for a poor tree is passed on") {
  Bench bench;
  bench.desktop.a11y_tree->degraded = A11yDegraded{"bridge_off", "no bridge", "set GTK_MODULES"};
  const auto result = bench.run("get_window_structure");
  CHECK(has(result, R"("cure":"set GTK_MODULES","detail":"no bridge")"));
  CHECK(has(result, R"("reason":"bridge_off")"));
}

TEST_CASE("screen text cannot carry terminal sequences") {
  Bench bench;
  bench.desktop.window_list->windows.back().title = "evil \x1b]0;x\x07title";
  CHECK(has(bench.run("list_windows"), R"("title":"evil title")"));
}

TEST_CASE("a description has its sections apart and together") {
  Bench bench;
  const auto result = bench.run("get_screen_description");
  CHECK(has(result, R"("mode":"combined")"));
  CHECK(has(result, R"("accessibility":"Application : app\nWindow      : Main)"));
  CHECK(has(result, R"("description":"[accessibility]\nApplication : app)"));
  CHECK(text_member(result, "ocr").starts_with("[OCR unavailable: no plugin"));
  CHECK_FALSE(has(result, R"("vlm")"));
  CHECK(has(result, R"([3 elements total; focused \u2192 Edit \"Name\"]\n\n[ocr]\n[OCR)"));

  Settings settings;
  settings.ocr.enabled = false;
  settings.vlm.enabled = true;
  Bench other(settings);
  const auto vision = other.run("get_screen_description", R"({"max_tokens":5})");
  CHECK_FALSE(has(vision, R"("ocr")"));
  CHECK(has(vision, R"("vlm":"[Vision model unavai\u2026 [truncated]")"));
  CHECK(has(vision, R"("vlm_error_code":"PlatformUnsupported")"));
  CHECK(has(vision, R"("truncated":true)"));
}

TEST_CASE("a sketch uses the window's bounds when the window was named") {
  Bench bench;
  CHECK(text_member(bench.run("get_screen_sketch", "{}", true), "window") == "(focused)");
  CHECK(text_member(bench.run("get_screen_sketch", R"({"window_index":0})", true), "window") ==
        "Main");
  const auto negative = bench.run("get_screen_sketch", R"({"grid_width":-4})", true);
  CHECK(has(negative, R"("grid_width":-4)"));
  CHECK(text_member(negative, "sketch").empty());
  CHECK(has(bench.run("get_screen_sketch", R"({"structured":"1"})", true), R"("legend":{"A":)"));
}

TEST_CASE("a large sketch is drawn beside the strand, and is the same") {
  Bench bench;
  CHECK(bench.run("get_screen_sketch", R"({"grid_width":300,"grid_height":100})").ok);
  CHECK(bench.desktop.offloads == 0);
  constexpr const char* kLarge = R"({"grid_width":1000,"grid_height":1000,"structured":true})";
  const auto large = bench.run("get_screen_sketch", kLarge, true);
  CHECK(bench.desktop.offloads == 1);
  CHECK(has(large, R"("grid_width":1000)"));
  CHECK(has(large, R"("legend":{"A":)"));
  CHECK(has(large, R"("bounds_grid":[0,0,999,999])"));
  const std::string text = text_member(large, "sketch");
  CHECK(text.starts_with("+-"));
  CHECK(text.find(R"(\n)") == 1000);
  CHECK(
      bench.run("get_full_screenshot", R"({"window_index":0,"grid_width":1000,"grid_height":1000})")
          .ok);
  CHECK(bench.desktop.offloads == 3);  // the picture is encoded there, too
}

TEST_CASE("an unchanged picture is neither sent nor encoded again") {
  Bench bench;
  SECTION("the adapter counts changes") {
    bench.desktop.picture->serial = 3;
    const auto first = bench.run("get_screenshot", "{}", true);
    const auto second = bench.run("get_screenshot", "{}", true);
    CHECK(first.result.text == second.result.text);
    CHECK(bench.desktop.capture_requests[0].unless_serial == 0);
    CHECK(bench.desktop.capture_requests[1].unless_serial == 3);
    CHECK(bench.desktop.offloads == 1);
    bench.desktop.picture->serial = 4;
    bench.desktop.picture->image.pixels = Buffer::of(std::vector<std::uint8_t>(8, 9));
    CHECK(bench.run("get_screenshot", "{}", true).result.text != first.result.text);
  }
  SECTION("the adapter cannot tell") {
    const auto first = bench.run("get_screenshot", "{}", true);
    CHECK(bench.run("get_screenshot", "{}", true).result.text == first.result.text);
    bench.desktop.picture->image.pixels = Buffer::of(std::vector<std::uint8_t>(8, 9));
    CHECK(bench.run("get_screenshot", "{}", true).result.text != first.result.text);
  }
}

TEST_CASE("a screenshot shows the named window, else the primary monitor") {
  Bench bench;
  CHECK(text_member(bench.run("get_screenshot", "{}", true), "window") == "(full screen)");
  CHECK(bench.desktop.capture_requests.back().target == CaptureTarget::Screen);
  MonitorInfo left, right;
  right.index = 1;
  right.primary = true;
  bench.desktop.monitor_list = MonitorList{{left, right}};
  CHECK(bench.run("get_screenshot", "{}", true).ok);
  CHECK(bench.desktop.capture_requests.back().target == CaptureTarget::Monitor);
  CHECK(bench.desktop.capture_requests.back().monitor == 1);
  CHECK(text_member(bench.run("get_screenshot", R"({"window_index":1})", true), "window") ==
        "Other");
  CHECK(bench.desktop.capture_requests.back().target == CaptureTarget::Window);
  CHECK(bench.desktop.capture_requests.back().handle == "b");
  bench.desktop.picture = failed_precondition("window b is minimised and has no pixels");
  const auto failed = bench.run("get_screenshot", R"({"window_index":1})", true);
  CHECK(failed.error_code == "WindowOccluded");
  CHECK(failed.message == "Screenshot capture failed: window b is minimised and has no pixels");
}

TEST_CASE("a full screenshot brings the sketch of a named window, and lacks it gracefully") {
  Bench bench;
  CHECK(has(bench.run("get_full_screenshot", "{}", true), R"("sketch":null)"));
  CHECK(has(bench.run("get_full_screenshot", R"({"window_index":0})", true), R"("sketch":"+--)"));
  bench.desktop.a11y_tree = not_found("none");
  const auto without = bench.run("get_full_screenshot", R"({"window_index":0})", true);
  CHECK(without.ok);
  CHECK(has(without, R"("sketch_error":"Could not retrieve)"));
}

TEST_CASE("a click is delivered as asked and answers with its evidence") {
  Bench bench;
  const auto result = bench.run("click_at", R"({"x":5,"y":6,"button":"right","double":true})");
  REQUIRE(result.ok);
  REQUIRE(bench.desktop.pointer_requests.size() == 1);
  const PointerRequest& sent = bench.desktop.pointer_requests[0];
  CHECK(sent.action == PointerAction::Click);
  CHECK(sent.x == 5);
  CHECK(sent.y == 6);
  CHECK(sent.button == "right");
  CHECK(sent.count == 2);
  for (const char* part :
       {R"("action":"click_at")", R"("effect":"unverified")", R"("route":"test")",
        R"x("evidence":"pointer at (5, 6)")x", R"("new_dialogs":[])", R"("x":5)"}) {
    INFO(part);
    CHECK(has(result, part));
  }
}

TEST_CASE("windows that a click opens are reported") {
  Bench bench;
  bench.desktop.on_input = [&] {
    WindowInfo dialog;
    dialog.uid = "t:new";
    dialog.title = "Really?";
    bench.desktop.window_list->windows.push_back(dialog);
  };
  CHECK(has(bench.run("click_at", R"({"x":5,"y":6})"),
            R"("new_dialogs":[{"title":"Really?","window_uid":"t:new"}])"));
}

TEST_CASE("a text that would keep a program busy for minutes is not typed") {
  Bench bench;
  const auto result = bench.run("type_text", R"({"text":")" + std::string(100'001, 'x') + "\"}");
  CHECK(result.error_code == "BadRequest");
  CHECK(has(result, "set_value writes more at once"));
  CHECK(bench.desktop.text_requests.empty());
}

struct Refusal {
  const char* tool;
  const char* arguments;
  const char* code;
  const char* message;
};

TEST_CASE("input that cannot be meant is refused before anything is sent") {
  const Refusal rows[] = {
      {"click_at", "{}", "BadRequest", "x and y are required"},
      {"click_at", R"({"x":1})", "BadRequest", "x and y belong together, but y is missing"},
      {"click_at", R"({"x":"a","y":1})", "BadRequest", "x must be an integer, found 'a'"},
      {"click_at", R"({"x":1.5,"y":1})", "BadRequest", "x must be an integer, found '1.5E0'"},
      {"click_at", R"({"x":99999999999,"y":1})", "BadRequest",
       "the point (99999999999, 1) is on no screen"},
      {"click_at", R"({"x":1,"y":1,"button":"side"})", "BadRequest",
       "button must be left, right or middle, found 'side'"},
      {"click_at", R"({"x":300,"y":5,"window_index":0})", "BadRequest",
       "(300, 5) lies outside window 't:a', which covers x 0..199 and y 0..99"},
      {"click_at", R"({"x":5,"y":5,"window_index":9})", "WindowGone",
       "no window has window_index 9; 2 windows are open, list_windows names them"},
      {"click_at", R"({"x":5,"y":5,"window_uid":"t:old"})", "WindowGone",
       "no window has window_uid 't:old'; 2 windows are open, list_windows names them"},
      {"type_text", "{}", "BadRequest", "text is required ('value' in an action request)"},
      {"press_key", R"({"value":""})", "BadRequest",
       "keys is required ('value' in an action request)"},
      {"scroll", R"({"clicks":1000})", "BadRequest", "clicks must be from -100 to 100, found 1000"},
      {"scroll", R"({"x":1})", "BadRequest", "x and y belong together, but y is missing"},
  };
  for (const Refusal& row : rows) {
    INFO(row.tool << ' ' << row.arguments);
    Bench bench;
    const auto result = bench.run(row.tool, row.arguments);
    CHECK(result.error_code == row.code);
    CHECK(result.message == row.message);
    CHECK(bench.desktop.pointer_requests.empty());
    CHECK(bench.desktop.key_requests.empty());
    CHECK(bench.desktop.text_requests.empty());
  }
}

TEST_CASE("a minimised window cannot be clicked") {
  Bench bench;
  bench.desktop.window_list->windows.front().minimized = true;
  const auto result = bench.run("click_at", R"({"x":550,"y":5,"window_index":1})");
  CHECK(result.error_code == "WindowOccluded");
  CHECK(bench.desktop.pointer_requests.empty());
}

TEST_CASE("what an adapter refuses is told in its words") {
  Bench bench;
  bench.desktop.receipt =
      Error{Code::OutOfRange, "(5000, 1) is on no monitor; they cover 0..1919", {}};
  const auto outside = bench.run("click_at", R"({"x":5000,"y":1})");
  CHECK(outside.error_code == "BadRequest");
  CHECK(outside.message == "(5000, 1) is on no monitor; they cover 0..1919");
  bench.desktop.receipt = invalid_argument("no key is called 'entr'; near: enter");
  CHECK(bench.run("press_key", R"({"keys":"entr"})").message ==
        "no key is called 'entr'; near: enter");
  bench.desktop.receipt = unavailable("no plugin serves gantry.input.text/1");
  CHECK(bench.run("type_text", R"({"text":"x"})").error_code == "PlatformUnsupported");
}

TEST_CASE("success means delivered") {
  Bench bench;
  bench.desktop.receipt->delivered = false;
  bench.desktop.receipt->note = "the server grabbed the keyboard";
  const auto result = bench.run("press_key", R"({"keys":"ctrl+s"})");
  CHECK_FALSE(result.ok);
  CHECK(result.error_code == "Internal");
  CHECK(has(result, R"("effect":"refused")"));
  CHECK(result.message ==
        "the input was not delivered to the display: the server grabbed the keyboard");
}

TEST_CASE("nothing to do is done truthfully") {
  Bench bench;
  CHECK(has(bench.run("type_text", R"({"text":""})"), R"("effect":"no_op")"));
  CHECK(has(bench.run("click_at", R"({"x":1,"y":1,"dry_run":true})"), R"("dry_run":true)"));
  CHECK(has(bench.run("scroll", R"({"clicks":0})"), R"("effect":"no_op")"));
  CHECK(bench.desktop.pointer_requests.empty());
  CHECK(bench.desktop.text_requests.empty());
  CHECK(bench.run("click_at", R"({"x":1,"y":1,"dry_run":"false"})").ok);
  CHECK(bench.desktop.pointer_requests.size() == 1);
}

TEST_CASE("typing, keys and the wheel reach the adapter as they were asked for") {
  Bench bench;
  CHECK(has(bench.run("type_text", R"({"value":"Grüße 😀"})"), R"("action":"type")"));
  CHECK(bench.desktop.text_requests[0].text == "Grüße 😀");
  CHECK(has(bench.run("press_key", R"({"keys":"ctrl+shift+n"})"), R"("value":"ctrl+shift+n")"));
  CHECK(bench.desktop.key_requests[0].keys == "ctrl+shift+n");
  CHECK(bench.run("scroll", R"({"clicks":-2,"x":7,"y":8})").ok);
  CHECK(bench.desktop.pointer_requests[0].scroll_y == -2);
  CHECK(bench.desktop.pointer_requests[0].x == 7);
  CHECK(bench.run("scroll").ok);
  CHECK(bench.desktop.pointer_requests[1].scroll_y == 3);
  CHECK_FALSE(bench.desktop.pointer_requests[1].x.has_value());
}

TEST_CASE("an act falls back to the focused window only when configured") {
  Settings settings;
  settings.index_fallback_for_acts = true;
  Bench bench(settings);
  CHECK(bench.run("click_at", R"({"x":5,"y":5,"window_index":9})").ok);
}

TEST_CASE("no recording begins when there are as many as are allowed") {
  const std::filesystem::path dir =
      std::filesystem::temp_directory_path() / ("gantry-traces-" + std::to_string(::getpid()));
  std::filesystem::remove_all(dir);
  Settings settings;
  settings.tracing.dir = dir.string();
  settings.tracing.max_traces = 2;
  Bench bench(settings);
  for (int i = 0; i < 2; ++i) {
    CHECK(bench.run("trace_start").ok);
    CHECK(bench.run("trace_stop").ok);
  }
  std::filesystem::create_directory(dir / "notes");  // no recording
  const auto refused = bench.run("trace_start");
  CHECK(refused.error_code == "BudgetExceeded");
  CHECK(refused.message.find("there are 2 recordings in " + dir.string()) == 0);
  CHECK(bench.run("trace_status").result.text.find(R"("active_trace_id":null)") !=
        std::string::npos);
  bench.observer.engine().settings.tracing.max_traces = 3;
  CHECK(bench.run("trace_start").ok);
  CHECK(bench.run("trace_stop").ok);
  std::filesystem::remove_all(dir);
}

}  // namespace
}  // namespace gantry::observation
