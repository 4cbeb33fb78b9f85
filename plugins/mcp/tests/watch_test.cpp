// SPDX-License-Identifier: Apache-2.0
// What subscribers hear of changes of the desktop, with a clock that is moved by hand.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

#include "fake_world.hpp"
#include "observer_resources.hpp"
#include "resource_watch.hpp"

namespace gantry::mcp {
namespace {

class TimedEnvironment final : public Environment {
 public:
  [[nodiscard]] std::int64_t now_ns() const override { return now_; }
  [[nodiscard]] std::shared_ptr<void> after(Duration delay, std::function<void()> work) override {
    auto timer = std::make_shared<std::function<void()>>(std::move(work));
    timers_.emplace(now_ + delay.count(), timer);
    return timer;
  }
  void warn(std::string_view, std::string_view) override {}

  void pass(std::chrono::milliseconds time) {
    const std::int64_t end = now_ + Duration(time).count();
    while (!timers_.empty() && timers_.begin()->first <= end) {
      const auto [due, weak] = *timers_.begin();
      timers_.erase(timers_.begin());
      now_ = std::max(now_, due);
      if (const auto timer = weak.lock()) (*timer)();
    }
    now_ = end;
  }

 private:
  std::int64_t now_ = 1;
  std::multimap<std::int64_t, std::weak_ptr<std::function<void()>>> timers_;
};

class FakeWatched final : public WatchedDesktop {
 public:
  void windows(std::function<void(const std::vector<Window>&)> done) override {
    ++asked;
    done(there);
  }
  void pixels(const Window* window, std::uint64_t,
              std::function<void(std::optional<std::uint64_t>)> done) override {
    ++looked;
    const std::uint64_t serial = window == nullptr ? screen : drawn[window->uid];
    waiting.push_back([this, serial, done = std::move(done)] {
      done(denied ? std::nullopt : std::optional(serial));
    });
    if (!slow) answer();
  }
  void answer() {
    for (const auto& one : std::exchange(waiting, {})) one();
  }

  std::vector<Window> there{{"x11:1", "1", 11, 0, 0}, {"x11:2", "2", 22, 0, 0}};
  std::map<std::string, std::uint64_t> drawn;
  std::uint64_t screen = 0;
  int asked = 0, looked = 0;
  bool denied = false;  ///< Clients may not have pictures.
  bool slow = false;    ///< Pixels are told when answer() is called.
  std::vector<std::function<void()>> waiting;
};

class Subscriber final : public Listener {
 public:
  explicit Subscriber(std::set<std::string> uris) : uris_(std::move(uris)) {}
  void on_changed(Changed) override {}
  void on_resource(const std::string& uri) override { heard.push_back(uri); }
  [[nodiscard]] const std::set<std::string>& wanted() const override { return uris_; }
  std::vector<std::string> take() { return std::exchange(heard, {}); }

  std::vector<std::string> heard;

 private:
  std::set<std::string> uris_;
};

struct Watched {
  explicit Watched(std::set<std::string> uris, bool slow = false)
      : core(environment, {}, [](auto done) { done({}); }),
        watch(core, desktop, &watched_resource),
        subscriber(std::make_shared<Subscriber>(std::move(uris))) {
    desktop.slow = slow;
    core.hub.add(subscriber);
    core.hub.on_subscribed([this] { watch.subscribed(); });
    core.hub.subscribed();
  }

  TimedEnvironment environment;
  FakeWatched desktop;
  Core core;
  ResourceWatch watch;
  std::shared_ptr<Subscriber> subscriber;
};

using HeardUris = std::vector<std::string>;
constexpr auto kSoon = std::chrono::milliseconds(60);
constexpr auto kInterval = std::chrono::milliseconds(1000);
const std::string kTree = "gantry://window/x11:1/tree";
const std::string kOtherTree = "gantry://window/x11%3A2/tree.json";
const std::string kPicture = "gantry://window/x11:1/screenshot";
const std::string kScreen = "gantry://screen";

TEST_CASE("a picture that changes before the first look at it is told when it may be") {
  const bool denied = GENERATE(false, true);
  Watched w({kPicture}, true);
  w.watch.tree_changed(11);
  w.environment.pass(kSoon);
  CHECK(w.subscriber->take().empty());
  w.desktop.denied = denied;
  w.desktop.answer();
  w.environment.pass(kInterval);
  CHECK(w.subscriber->take() == (denied ? HeardUris{} : HeardUris{kPicture}));
  w.desktop.denied = false;
  w.desktop.answer();
  w.environment.pass(2 * kInterval);
  CHECK(w.subscriber->take().empty());
}

TEST_CASE("a change of an application is told of its windows, and of no others") {
  Watched w({kTree, kOtherTree, kPicture, kScreen});
  w.watch.tree_changed(22);
  CHECK(w.subscriber->heard.empty());
  w.environment.pass(kSoon);
  CHECK(w.subscriber->take() == HeardUris{kScreen, kOtherTree});
  w.environment.pass(kInterval);
  w.watch.tree_changed(11);
  w.environment.pass(kSoon);
  CHECK(w.subscriber->take() == HeardUris{kScreen, kPicture, kTree});
  w.environment.pass(kInterval);
  w.watch.tree_changed(33);  // no window of this desktop
  w.environment.pass(kSoon);
  CHECK(w.subscriber->take() == HeardUris{kScreen});
}

TEST_CASE("however much changes, a resource is told once in an interval, and the last change is") {
  Watched w({kTree});
  for (int i = 0; i < 100; ++i) w.watch.tree_changed(11);
  w.environment.pass(kSoon);
  CHECK(w.subscriber->take().size() == 1);
  for (int i = 0; i < 90; ++i) {
    w.watch.tree_changed(11);
    w.environment.pass(std::chrono::milliseconds(10));
  }
  CHECK(w.subscriber->take().empty());
  w.environment.pass(kInterval);
  CHECK(w.subscriber->take() == HeardUris{kTree});
  w.environment.pass(kInterval * 5);
  CHECK(w.subscriber->take().empty());
}

TEST_CASE("windows that move or go change what is shown of them, and the list") {
  Watched w({kWindowsUri, kTree, kOtherTree});
  w.watch.window_changed("2");
  w.environment.pass(kSoon);
  CHECK(w.subscriber->take() == HeardUris{kOtherTree, kWindowsUri});
  w.environment.pass(kInterval);
  w.desktop.there.erase(w.desktop.there.begin());
  w.watch.window_changed("1");
  w.environment.pass(kSoon);
  CHECK(w.subscriber->take() == HeardUris{kTree, kWindowsUri});
  w.environment.pass(kInterval);
  w.watch.window_changed("");  // any of them
  w.environment.pass(kSoon);
  CHECK(w.subscriber->take() == HeardUris{kOtherTree, kTree, kWindowsUri});
}

TEST_CASE("what is drawn without an event is seen while somebody wants the picture") {
  Watched w({kPicture, kTree});
  w.desktop.drawn["x11:1"] = 7;
  w.environment.pass(kInterval * 3);
  CHECK(w.subscriber->take().empty());
  w.desktop.drawn["x11:1"] = 8;
  w.environment.pass(kInterval + kSoon);
  CHECK(w.subscriber->take() == HeardUris{kPicture});
  w.desktop.drawn["x11:1"] = 0;  // an adapter that cannot know
  w.environment.pass(kInterval * 3);
  CHECK(w.subscriber->take().empty());
  w.subscriber.reset();
  w.environment.pass(kInterval * 2);
  const int looked = w.desktop.looked;
  w.environment.pass(kInterval * 5);
  CHECK(w.desktop.looked == looked);
}

TEST_CASE("who may not have a picture does not hear that it changes") {
  Watched w({kPicture, kScreen, kTree});
  w.desktop.denied = true;
  w.desktop.drawn["x11:1"] = w.desktop.screen = 7;
  w.environment.pass(kInterval);
  w.desktop.drawn["x11:1"] = w.desktop.screen = 8;
  w.watch.tree_changed(11);
  w.environment.pass(kInterval * 2);
  CHECK(w.subscriber->take() == HeardUris{kTree});
  w.desktop.denied = false;
  w.environment.pass(kInterval * 2);
  CHECK(w.subscriber->take().empty());  // what it is now, not that it was another one before
  w.desktop.screen = 9;
  w.environment.pass(kInterval + kSoon);
  CHECK(w.subscriber->take() == HeardUris{kScreen});
}

TEST_CASE("nobody's changes cost nothing") {
  Watched w({"gantry://trace", "gantry://window/x11:1/nothing"});
  w.environment.pass(kInterval * 5);
  CHECK(w.desktop.looked == 0);
  w.subscriber.reset();
  w.watch.tree_changed(11);
  w.environment.pass(kInterval * 5);
  CHECK(w.desktop.asked == 0);
}

}  // namespace
}  // namespace gantry::mcp
