// SPDX-License-Identifier: Apache-2.0
//
// FakeHost: a host for tests of one plugin, without a kernel. Everything happens in memory and on
// the calling thread: posted work, handlers, completions and timers run when the test says pump()
// or advance(), in the order in which they were asked for, so a test has no races and needs no
// sleep.
//
//   testkit::FakeHost kit;
//   auto greeter = kit.load<Greeter>("greeter", R"({"polite":true})");  // create, init, start
//   auto answer = kit.host().bus().call_wait<Greet>({"Ann"});  // the test is on the bus, too
//   kit.advance(std::chrono::seconds(5));                      // timers on the way fire
//   CHECK(kit.logs().back().message == "…");
//
// Waiting (call_wait in a test or inside Host::blocking) runs what is queued, and lets time pass to
// the next timer when nothing is. Single-threaded: use one FakeHost from one thread.
#pragma once

#include <gantry/host.hpp>
#include <gantry/plugin.hpp>
#include <gantry/testkit/manual_clock.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::testkit {

/// One line that a plugin logged. Secret fields hold "***".
struct LogLine {
  std::string plugin;
  int level = GANTRY_LOG_INFO;
  std::string message;
  std::map<std::string, std::string> fields;
};

/// One event, call or stream opening that went over the bus, as JSON.
struct Message {
  std::string contract;
  std::string sender;
  std::string receiver;  // the serving plugin; empty for events and when nobody serves it
  std::string json;
};

struct HealthState {
  int state = GANTRY_HEALTH_OK;
  std::string reason;
  std::string cure;
};

namespace detail {
struct World;
struct Participant;
}  // namespace detail

class FakeHost {
 public:
  FakeHost();
  /// On a clock of the test, which must outlive it.
  explicit FakeHost(ManualClock& clock);
  ~FakeHost();  // unloads what is loaded, in reverse order
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  /// A participant on the bus for the test itself: it calls, serves what the plugin needs, and
  /// subscribes to what it publishes. The same name gives the same participant.
  Host& host(std::string_view name = "test");

  /// Creates, initialises and starts a plugin, through the C boundary. `config_json` is what the
  /// plugin reads: no defaults are filled in. The pointer is valid until unload().
  template <class P>
  Result<P*> load(std::string_view name, std::string_view config_json = "{}") {
    GANTRY_ASSIGN(void* self, load_created(&gantry::detail::Instance<P>::create, name,
                                           std::string(config_json)));
    return &static_cast<gantry::detail::Instance<P>*>(self)->plugin;
  }
  /// The same for a plugin that is only known by its entry (one in C).
  Result<void> load_entry(const gantry_plugin_entry_v1& entry, std::string config_json = "{}");
  /// New configuration, as after a reload with keys that are `reload: live`.
  Result<void> reconfigure(std::string_view name, std::string config_json);
  /// Stops and destroys a plugin; its open calls are cancelled, calls to it become Unavailable.
  void unload(std::string_view name);

  /// Runs what is queued, and what that queues, until nothing is left. Returns how much ran.
  std::size_t pump();
  /// Lets time pass: pumps, then stops at every timer on the way and pumps again.
  void advance(Duration delta);
  [[nodiscard]] std::int64_t now_ns() const;
  /// Its time: the wall clock is set there.
  ManualClock& clock();

  [[nodiscard]] const std::vector<LogLine>& logs() const;
  [[nodiscard]] const std::vector<Message>& events() const;
  [[nodiscard]] const std::vector<Message>& calls() const;
  /// Value of a counter or gauge, number of observations of a histogram; 0 when there is none.
  [[nodiscard]] double metric(std::string_view plugin, std::string_view name,
                              std::string_view labels = {}) const;
  /// Health by "plugin/component".
  [[nodiscard]] const std::map<std::string, HealthState>& health() const;
  /// What a plugin said of its suitability, -1 when nothing.
  [[nodiscard]] int suitability(std::string_view plugin) const;
  /// Calls that were answered twice, by any plugin.
  [[nodiscard]] std::size_t double_answers() const;

 private:
  using Create = gantry_status (*)(const gantry_host_api*, gantry_plugin*, gantry_error*);
  Result<void*> load_created(Create create, std::string_view name, std::string config_json);

  std::unique_ptr<detail::World> world_;
};

}  // namespace gantry::testkit
