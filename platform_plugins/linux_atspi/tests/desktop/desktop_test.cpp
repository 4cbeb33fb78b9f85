// SPDX-License-Identifier: Apache-2.0
// The adapter against real toolkits on a real (private) X11 desktop.
#include "client.hpp"
#include "program.hpp"

#include <catch2/catch.hpp>

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <thread>

using namespace gantry;
using namespace gantry::atspi;
using namespace gantry::atspi::testing;

namespace {

using Answer = Result<std::shared_ptr<const Tree>>;
using TreePtr = std::shared_ptr<const Tree>;

Client& client() {
  static Client* only = [] {
    AtspiConfig config;
    config.excluded_pids = {static_cast<std::uint32_t>(getpid())};
    // Kept for the whole run, as in the daemon; ended with the process.
    return new Client(config, SessionEnvironment::of_this_process(), {});
  }();
  return *only;
}

Answer read(const WindowHint& hint, ReadOptions options = {}) {
  std::promise<Answer> promise;
  client().read_tree(hint, options, [&](Answer answer) { promise.set_value(std::move(answer)); });
  return promise.get_future().get();
}

Result<Acted> act(Client::Act action) {
  std::promise<Result<Acted>> promise;
  client().act(std::move(action),
               [&](Result<Acted> acted) { promise.set_value(std::move(acted)); });
  return promise.get_future().get();
}

/// Reads until `good` holds: applications react when their main loop comes round to it.
TreePtr read_until(const WindowHint& hint, const std::function<bool(const Tree&)>& good) {
  const TimePoint until = Clock::now() + std::chrono::seconds(60);
  TreePtr last;
  std::string refused;
  while (Clock::now() < until) {
    const Answer answer = read(hint);
    refused = answer ? "" : ", then: " + answer.error().message;
    if (answer) last = *answer;
    if (answer && good(*last)) return last;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  UNSCOPED_INFO(
      "the awaited tree never came; last: "
      << (last ? std::to_string(last->nodes.size()) + " nodes, " +
                     (last->degraded ? last->degraded->message : std::string("not degraded"))
               : std::string("none"))
      << refused);
  return nullptr;
}

const TreeNode* find(const Tree& tree, const std::string& role, const std::string& name) {
  for (const TreeNode& node : tree.nodes) {
    if (node.role == role && node.name == name) return &node;
  }
  return nullptr;
}

bool inside(const Bounds& inner, const Bounds& outer) {
  return inner.x >= outer.x && inner.y >= outer.y &&
         inner.x + inner.width <= outer.x + outer.width &&
         inner.y + inner.height <= outer.y + outer.height;
}

ObjectRef object(const TreeNode& node) { return *ObjectRef::parse(node.native); }

std::string test_app(const char* name) {
  const char* folder = std::getenv("GANTRY_ATSPI_TEST_APPS");
  return std::string(folder != nullptr ? folder : ".") + "/" + name;
}

void report(const char* what, const Tree& tree, double ms) {
  std::printf("[measured] %s: %zu nodes, %.1f ms, %llu calls%s\n", what, tree.nodes.size(), ms,
              static_cast<unsigned long long>(tree.calls), tree.from_cache ? ", from cache" : "");
}

double timed(const std::function<void()>& work) {
  const TimePoint began = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}

bool installed(const std::string& program) {
  if (!find_program(program).empty()) return true;
  std::cout << "SKIPPED: " << program << " is not installed\n";
  return false;
}

}  // namespace

TEST_CASE("GTK 3: content, values, states, boxes") {
  Program app({test_app("gtk3_many"), "--cells", "60"});
  auto window = app.window("Gantry GTK3");
  REQUIRE(window);
  REQUIRE(read_until(*window, [](const Tree& t) { return find(t, "Button", "Press"); }));
  // The window manager may have placed it after the first look.
  window = app.window("Gantry GTK3");
  REQUIRE(window);
  const TreePtr tree =
      read_until(*window, [](const Tree& t) { return t.matched_by == "pid+title+bounds"; });
  REQUIRE(tree);
  CHECK(tree->matched_by == "pid+title+bounds");
  CHECK(tree->nodes[0].role == "Window");
  CHECK(find(*tree, "Edit", "first")->value == "héllo");
  CHECK_FALSE(find(*tree, "Password", "secret")->value);
  CHECK(find(*tree, "CheckBox", "Checked")->checked == true);
  CHECK_FALSE(find(*tree, "Button", "Disabled")->enabled);
  const TreeNode* menu = find(*tree, "Menu", "File");
  REQUIRE(menu != nullptr);
  CHECK(menu->keyboard_shortcut == "Alt+F");
  CHECK(menu->showing);
  const TreeNode* entry = find(*tree, "MenuItem", "Entry 0.0");
  REQUIRE(entry != nullptr);
  CHECK_FALSE(entry->showing);  // in a closed menu
  CHECK_FALSE(entry->bounds);
  for (const TreeNode& node : tree->nodes) {
    if (node.role == "Slider") CHECK(node.value_now == 40);
    if (node.bounds && node.parent >= 0) CHECK(overlap(*node.bounds, *window->bounds) > 0);
  }
}

TEST_CASE("GTK 3: actions change the window and the cache follows") {
  Program app({test_app("gtk3_many"), "--cells", "900"});
  const auto window = app.window("Gantry GTK3");
  REQUIRE(window);
  const TreePtr tree =
      read_until(*window, [](const Tree& t) { return find(t, "Button", "Press") != nullptr; });
  REQUIRE(tree);
  const TreeNode first = *find(*tree, "Edit", "first");
  SECTION("a pressed button") {
    const auto acted = act(
        [&](Actions& a) { return a.perform(object(*find(*tree, "Button", "Press")), "click"); });
    REQUIRE(acted);
    CHECK(acted->accepted);
    CHECK(read_until(*window,
                     [](const Tree& t) { return find(t, "Edit", "first")->value == "clicked"; }));
  }
  SECTION("inserted text arrives whole") {
    REQUIRE(act([&](Actions& a) { return a.set_text(object(first), "abc"); }));
    REQUIRE(act([&](Actions& a) { return a.insert_text(object(first), 1, "é—😀"); }));
    CHECK(read_until(*window,
                     [](const Tree& t) { return find(t, "Edit", "first")->value == "aé—😀bc"; }));
  }
  SECTION("scrolling moves every box") {
    const auto vertical_bar = [](const Tree& t) -> const TreeNode* {
      for (const TreeNode& node : t.nodes) {
        if (node.role == "ScrollBar" && node.value_max > 0 && node.bounds &&
            node.bounds->height > node.bounds->width)
          return &node;
      }
      return nullptr;
    };
    const TreePtr laid_out =
        read_until(*window, [&](const Tree& t) { return vertical_bar(t) != nullptr; });
    REQUIRE(laid_out);
    const TreeNode* bar = vertical_bar(*laid_out);
    const Bounds before = *find(*laid_out, "Button", "c0")->bounds;
    REQUIRE(act([&](Actions& a) { return a.set_value(object(*bar), 60); }));
    CHECK(read_until(*window, [&](const Tree& t) {
      const TreeNode* cell = find(t, "Button", "c0");
      return !cell->bounds || cell->bounds->y == before.y - 60;
    }));
  }
  SECTION("a moved window moves every box") {
    // Under load the window manager may still be placing it while it is first read.
    constexpr int kReadsWithoutChange = 5;
    WindowHint placed = *window;
    Bounds box = *first.bounds;
    int unchanged = 0;
    REQUIRE(read_until(*window, [&](const Tree& t) {
      const auto now = app.window("Gantry GTK3");
      const Bounds seen = *find(t, "Edit", "first")->bounds;
      unchanged = now && now->bounds == placed.bounds && seen == box ? unchanged + 1 : 0;
      if (now) placed = *now;
      box = seen;
      return unchanged == kReadsWithoutChange;
    }));
    move_window(placed, 140, 160);
    const auto moved = app.window("Gantry GTK3");
    REQUIRE(moved);
    Bounds last;
    const auto all_moved = read_until(*moved, [&](const Tree& t) {
      // The window manager may still be at it, so the window is asked each time.
      const auto now = app.window("Gantry GTK3");
      last = *find(t, "Edit", "first")->bounds;
      return now && last.x - box.x == now->bounds->x - placed.bounds->x;
    });
    INFO("from " << box.x << " in " << placed.bounds->x << " to " << last.x);
    CHECK(all_moved);
  }
}

TEST_CASE("GTK 3: a window that changes all the time is read truthfully") {
  Program app({test_app("gtk3_many"), "--cells", "200", "--churn"});
  const auto window = app.window("Gantry GTK3");
  REQUIRE(window);
  const auto tick = [](const Tree& t) {
    for (const TreeNode& node : t.nodes) {
      if (node.name.starts_with("tick ")) return std::atoi(node.name.c_str() + 5);
    }
    return -1;
  };
  int last = 0;
  for (int i = 0; i < 20; ++i) {
    const TreePtr tree = read_until(*window, [&](const Tree& t) { return tick(t) > last; });
    REQUIRE(tree);
    last = tick(*tree);
    std::size_t extras = 0;
    for (const TreeNode& node : tree->nodes) extras += node.name == "extra" ? 1 : 0;
    CHECK(extras <= 1);
  }
}

TEST_CASE("GTK 3: two windows of one title are told apart by geometry") {
  Program app({test_app("gtk3_many"), "--cells", "30", "--twin"});
  const auto window = app.window("Gantry GTK3");
  REQUIRE(window);
  // Both windows move once more after they were mapped: a hint from before that is out of date.
  WindowHint first = *window;
  TreePtr tree;
  double agreement = 0;
  for (int attempt = 0; attempt < 50 && agreement <= 0.9; ++attempt) {
    const auto now = app.window("Gantry GTK3");
    REQUIRE(now);
    first = *now;
    tree = read_until(first, [](const Tree& t) { return t.nodes.size() > 30; });
    REQUIRE(tree);
    if (tree->nodes[0].bounds) agreement = overlap(*tree->nodes[0].bounds, *first.bounds);
  }
  CHECK_FALSE(tree->match_ambiguous);
  CHECK(agreement > 0.9);
}

TEST_CASE("GTK 3: client-side decoration keeps boxes inside the window") {
  Program app({test_app("gtk3_many"), "--cells", "60", "--csd"});
  const auto window = app.window("Gantry GTK3");
  REQUIRE(window);
  // The window moves once more after it was mapped: bounds from before that are out of date.
  bool button = false;
  bool edit = false;
  for (int attempt = 0; attempt < 50 && !(button && edit); ++attempt) {
    const auto now = app.window("Gantry GTK3");
    REQUIRE(now);
    const TreePtr tree =
        read_until(*now, [](const Tree& t) { return find(t, "Button", "Press") != nullptr; });
    REQUIRE(tree);
    button = inside(*find(*tree, "Button", "Press")->bounds, *now->bounds);
    edit = inside(*find(*tree, "Edit", "first")->bounds, *now->bounds);
  }
  CHECK(button);
  CHECK(edit);
}

TEST_CASE("GTK 3: 1,500 nodes are read cold, then answered from the cache") {
  Program app({test_app("gtk3_many")});
  const auto window = app.window("Gantry GTK3");
  REQUIRE(window);
  REQUIRE(read_until(*window, [](const Tree& t) { return t.nodes.size() > 1400; }));
  // A new client knows nothing: that is a cold read with the listener already registered.
  Client fresh({}, SessionEnvironment::of_this_process(), {});
  std::promise<void> probed;
  fresh.probe([&](const BusStatus&) { probed.set_value(); });
  probed.get_future().get();
  const auto once = [&] {
    std::promise<Answer> promise;
    fresh.read_tree(*window, {}, [&](Answer answer) { promise.set_value(std::move(answer)); });
    return promise.get_future().get();
  };
  Answer cold = Error{};
  const double cold_ms = timed([&] { cold = once(); });
  REQUIRE(cold);
  report("GTK 3 cold", **cold, cold_ms);
  CHECK((*cold)->nodes.size() > 1450);
  // Toolkits report changes of a window for a while after it was mapped; what they changed is read
  // again. Once it is quiet, a read costs no calls at all.
  Answer warm = Error{};
  double warm_ms = 0;
  for (int attempt = 0; attempt < 50; ++attempt) {
    warm_ms = timed([&] { warm = once(); });
    REQUIRE(warm);
    if ((*warm)->from_cache) break;
  }
  report("GTK 3 warm", **warm, warm_ms);
  CHECK((*warm)->calls == 0);
  CHECK((*warm)->from_cache);
}

TEST_CASE("a stopped application is named and does not hold up another") {
  Program stopped({test_app("gtk3_many"), "--cells", "30", "--title", "Stopped"});
  Program other({test_app("gtk3_many"), "--cells", "30", "--title", "Other"});
  const auto stopped_window = stopped.window("Stopped");
  const auto other_window = other.window("Other");
  REQUIRE(stopped_window);
  REQUIRE(other_window);
  const auto full = [](const Tree& t) { return t.nodes.size() > 30 && !t.degraded; };
  REQUIRE(read_until(*stopped_window, full));
  REQUIRE(read_until(*other_window, full));
  stopped.signal(SIGSTOP);
  WindowHint unseen = *stopped_window;
  unseen.title += " ";  // another key: must be read, not answered from memory
  const Answer answer = read(unseen);
  REQUIRE(answer);
  // Without degradation everything that was needed was still fresh in the cache.
  CHECK((!(*answer)->degraded || (*answer)->degraded->reason == "app_hung"));
  WindowHint also = *other_window;
  also.title += " ";
  CHECK(timed([&] { REQUIRE(read(also)); }) < 900);
  stopped.signal(SIGCONT);
  CHECK(read_until(*stopped_window, full));
}

TEST_CASE("GTK 4: boxes are screen coordinates within the window") {
  if (!installed("gtk4-demo")) return;
  Program app({"gtk4-demo"});
  const auto window = app.window("");
  REQUIRE(window);
  const TreePtr tree = read_until(*window, [](const Tree& t) { return t.nodes.size() > 50; });
  REQUIRE(tree);
  CHECK(tree->toolkit.starts_with("GTK 4"));
  std::size_t boxes = 0;
  std::size_t enabled = 0;
  for (const TreeNode& node : tree->nodes) {
    enabled += node.enabled ? 1 : 0;
    if (!node.bounds) continue;
    ++boxes;
    CHECK(overlap(*node.bounds, *window->bounds) > 0);
  }
  CHECK(boxes > 20);
  CHECK(enabled > tree->nodes.size() / 2);  // GTK 4 sets SENSITIVE, never ENABLED
  TreePtr again;
  report("GTK 4 first", *tree, tree->capture_ms);
  const double ms = timed([&] { again = *read(*window); });
  report("GTK 4 again", *again, ms);
}

TEST_CASE("Qt 5: the editor's text is read and written") {
  if (!installed("featherpad")) return;
  Program app({"featherpad", "--standalone"});
  const auto window = app.window("");
  REQUIRE(window);
  const auto editor = [](const Tree& t) -> const TreeNode* {
    for (const TreeNode& node : t.nodes) {
      if (node.role == "Document" && node.showing) return &node;
    }
    return nullptr;
  };
  const TreePtr tree = read_until(*window, [&](const Tree& t) { return editor(t) != nullptr; });
  REQUIRE(tree);
  report("Qt 5", *tree, tree->capture_ms);
  REQUIRE(act([&](Actions& a) { return a.insert_text(object(*editor(*tree)), 0, "naïve 😀"); }));
  CHECK(read_until(*window, [&](const Tree& t) {
    return editor(t) != nullptr && editor(t)->value &&
           editor(t)->value->find("naïve 😀") != std::string::npos;
  }));
}

TEST_CASE("Chromium: a page of 2,700 nodes") {
  if (!installed("chromium")) return;
  char folder[] = "/tmp/gantry-atspi-page-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string page = std::string(folder) + "/page.html";
  {
    std::ofstream out(page);
    out << "<html><head><title>Gantry page</title></head><body><h1 id=top>Heading</h1>"
           "<input value=abc><input type=password value=hunter2><input type=checkbox "
           "checked><table>";
    for (int i = 0; i < 300; ++i) {
      out << "<tr><td><a href='#" << i << "'>link " << i << "</a><td><button id=b" << i << ">b" << i
          << "</button><td>text " << i << "</tr>";
    }
    out << "</table></body></html>";
  }
  Program app({"chromium", "--no-sandbox", "--force-renderer-accessibility", "--no-first-run",
               "--disable-gpu", std::string("--user-data-dir=") + folder, "file://" + page});
  const auto window = app.window("Gantry page", 40);
  REQUIRE(window);
  const TreePtr tree = read_until(*window, [](const Tree& t) {
    return find(t, "Heading", "Heading") && find(t, "Button", "b299");
  });
  REQUIRE(tree);
  CHECK(tree->nodes.size() > 2500);
  for (const TreeNode& node : tree->nodes)
    CHECK((node.value ? *node.value : "").find("hunter2") == std::string::npos);
  const TreeNode* button = find(*tree, "Button", "b0");
  REQUIRE(button != nullptr);
  CHECK(button->identifier == "b0");
  REQUIRE(button->bounds);
  CHECK(inside(*button->bounds, *window->bounds));
  REQUIRE_FALSE(button->actions.empty());
  CHECK(button->actions.front().name == "press");

  Client fresh({}, SessionEnvironment::of_this_process(), {});
  std::promise<void> probed;
  fresh.probe([&](const BusStatus&) { probed.set_value(); });
  probed.get_future().get();
  for (const char* what : {"Chromium cold", "Chromium warm"}) {
    std::promise<Answer> promise;
    Answer answer = Error{};
    const double ms = timed([&] {
      fresh.read_tree(*window, {}, [&](Answer a) { promise.set_value(std::move(a)); });
      answer = promise.get_future().get();
    });
    REQUIRE(answer);
    report(what, **answer, ms);
  }
  std::error_code ignored;  // the browser may still be writing its profile
  std::filesystem::remove_all(folder, ignored);
}
