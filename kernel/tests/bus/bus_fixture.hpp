// SPDX-License-Identifier: Apache-2.0
//
// What the tests of executor and bus share: a runtime on a ManualClock, plugins that are nothing
// but a gantry_host, message bodies, and ways to wait without sleeping.
#pragma once

#include "bus/body.hpp"
#include "bus/bus.hpp"
#include "bus/bus_table.hpp"
#include "exec/clock.hpp"
#include "exec/exec.hpp"
#include "exec/exec_table.hpp"
#include "exec/strand_group.hpp"
#include "host.hpp"

#include <gantry/abi/bus.h>
#include <gantry/abi/exec.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry::kernel::test {

inline constexpr std::int64_t kMs = 1'000'000;
/// What the tests of calls ask for.
inline const std::string kAsk = "test.ask/1";

/// Counts, and lets a test wait for a count. The deadline only decides when a broken test fails.
class Counter {
 public:
  void add(int n = 1) {
    std::lock_guard lock(mutex_);
    count_ += n;
    changed_.notify_all();
  }
  int get() const {
    std::lock_guard lock(mutex_);
    return count_;
  }
  bool reaches(int n) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return count_ >= n; });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  int count_ = 0;
};

/// Strings in the order in which they were added, from any thread.
class Journal {
 public:
  void add(std::string entry) {
    {
      std::lock_guard lock(mutex_);
      entries_.push_back(std::move(entry));
    }
    counter_.add();
  }
  std::vector<std::string> after(int n) const {
    if (!counter_.reaches(n)) throw std::runtime_error("the journal did not fill");
    std::lock_guard lock(mutex_);
    return entries_;
  }
  std::vector<std::string> now() const {
    std::lock_guard lock(mutex_);
    return entries_;
  }

 private:
  mutable std::mutex mutex_;
  Counter counter_;
  std::vector<std::string> entries_;
};

template <class F>
gantry_closure closure(F function) {
  gantry_closure made{};
  made.user = new F(std::move(function));
  made.run = [](void* user) { (*static_cast<F*>(user))(); };
  made.drop = [](void* user) { delete static_cast<F*>(user); };
  return made;
}

/// Declares a contract without types, so that bodies are JSON.
inline const gantry_contract* contract(std::string_view name, gantry_contract_kind kind) {
  static std::mutex mutex;
  static std::vector<std::unique_ptr<gantry_contract>> made;
  static std::vector<std::unique_ptr<std::string>> names;
  std::lock_guard lock(mutex);
  names.push_back(std::make_unique<std::string>(name));
  made.push_back(std::make_unique<gantry_contract>());
  gantry_contract& c = *made.back();
  c.size = sizeof c;
  c.kind = kind;
  c.name = to_str(*names.back());
  c.id = fnv1a(*names.back());
  c.doc = to_str("a test contract");
  return &c;
}

struct Answer {
  gantry_status status = GANTRY_OK;
  std::string body;
  std::string message;
  std::string detail;
};

inline std::string text_of(const gantry_body* body) {
  gantry_buf json{};
  if (body == nullptr || body_json(body, &json) != GANTRY_OK) return {};
  std::string text(view(json));
  release_buf(json);
  return text;
}

/// A plugin as the kernel sees it, with its functions taken from the C tables.
class Plugin {
 public:
  using EventHandler = std::function<void(const std::string&, const gantry_envelope&)>;
  using CallHandler =
      std::function<void(gantry_incoming*, const std::string&, const gantry_envelope&)>;
  using Completion = std::function<void(const Answer&)>;

  explicit Plugin(gantry_host& of) : host(&of) {}

  void know(std::string_view name, gantry_contract_kind kind) {
    gantry_error error{};
    const gantry_status status = bus->register_contract(host, contract(name, kind), &error);
    if (status != GANTRY_OK) throw std::runtime_error(std::string(view(error.message)));
  }

  gantry_status publish(std::string_view name, std::string body, gantry_send_options options = {}) {
    if (options.size == 0) options.lane = GANTRY_LANE_INTERACTIVE;
    const BodyRef json = make_json_body(std::move(body));
    return bus->publish(host, fnv1a(name), json.get(), &options);
  }

  gantry_handle subscribe(std::string_view name, EventHandler handler,
                          gantry_subscribe_options options = {}, Counter* dropped = nullptr) {
    know(name, GANTRY_EVENT);
    struct User {
      EventHandler handler;
      Counter* dropped;
    };
    gantry_handle handle = 0;
    const gantry_status status = bus->subscribe(
        host, fnv1a(name), &options,
        [](void* user, const gantry_body* body, const gantry_envelope* envelope) {
          static_cast<User*>(user)->handler(text_of(body), *envelope);
        },
        new User{std::move(handler), dropped},
        [](void* user) {
          const std::unique_ptr<User> own(static_cast<User*>(user));
          if (own->dropped != nullptr) own->dropped->add();
        },
        &handle, nullptr);
    if (status != GANTRY_OK) throw std::runtime_error("subscribe failed");
    return handle;
  }

  gantry_status serve(std::string_view name, CallHandler handler, Counter* dropped = nullptr) {
    know(name, GANTRY_CALL);
    struct User {
      CallHandler handler;
      Counter* dropped;
    };
    return bus->serve(
        host, fnv1a(name),
        [](void* user, gantry_incoming* call, const gantry_body* request,
           const gantry_envelope* envelope) {
          static_cast<User*>(user)->handler(call, text_of(request), *envelope);
        },
        new User{std::move(handler), dropped},
        [](void* user) {
          const std::unique_ptr<User> own(static_cast<User*>(user));
          if (own->dropped != nullptr) own->dropped->add();
        },
        nullptr);
  }

  /// Serves by answering at once with what the function returns.
  gantry_status serve_now(std::string_view name, std::function<std::string(const std::string&)> f) {
    return serve(name, [this, f](gantry_incoming* call, const std::string& request,
                                 const gantry_envelope&) { answer(call, f(request)); });
  }

  void answer(gantry_incoming* call, std::string body) {
    const BodyRef json = make_json_body(std::move(body));
    bus->complete(call, GANTRY_OK, json.get(), nullptr);
    bus->incoming_release(call);
  }

  gantry_handle call(std::string_view name, std::string body, Completion completion,
                     gantry_call_options options = {}) {
    know(name, GANTRY_CALL);
    if (options.size == 0) options.lane = GANTRY_LANE_INTERACTIVE;
    options.size = sizeof options;
    const BodyRef json = make_json_body(std::move(body));
    gantry_handle handle = 0;
    auto* user = new Completion(std::move(completion));
    const gantry_status status =
        bus->call(host, fnv1a(name), json.get(), &options, on_completion, user, &handle);
    if (status != GANTRY_OK) {
      delete user;
      throw std::runtime_error("call refused: " + std::to_string(status));
    }
    return handle;
  }

  /// Calls and waits for the completion.
  Answer ask(std::string_view name, std::string body, gantry_call_options options = {}) {
    Answer answer;
    Counter done;
    call(
        name, std::move(body),
        [&](const Answer& got) {
          answer = got;
          done.add();
        },
        options);
    if (!done.reaches(1)) throw std::runtime_error("the call did not complete");
    return answer;
  }

  static void on_completion(void* user, gantry_status status, const gantry_body* response,
                            const gantry_error* error) {
    const std::unique_ptr<Completion> own(static_cast<Completion*>(user));
    Answer answer{status, text_of(response), {}, {}};
    if (error != nullptr) {
      answer.message = view(error->message);
      answer.detail = view(error->detail);
    }
    (*own)(answer);
  }

  /// Runs a function on the plugin's strand and waits for it.
  void run(std::function<void()> work, std::uint64_t key = 0) {
    Counter done;
    exec->post(host, key, GANTRY_LANE_INTERACTIVE, closure([&] {
                 work();
                 done.add();
               }));
    if (!done.reaches(1)) throw std::runtime_error("the strand does not run");
  }

  gantry_host* host;
  const gantry_host_bus* bus = &kBusTable;
  const gantry_host_exec* exec = &kExecTable;
};

/// A runtime whose time stands still.
struct Bench {
  explicit Bench(RuntimeOptions options = {}, BusHooks hooks = {}) : runtime(with_clock(options)) {
    runtime.bus().set_hooks(std::move(hooks));
  }
  Plugin plugin(std::string name) { return plugin(HostOptions{std::move(name), 1, false, false}); }
  Plugin plugin(const HostOptions& options) { return Plugin(runtime.create_host(options)); }
  /// The last line of each test: afterwards no handler runs that could touch the test's variables.
  void finish() {
    for (gantry_host* host : runtime.hosts()) {
      Plugin plugin(*host);
      close(plugin);
    }
  }
  CloseReport close(Plugin& plugin, int seconds = 30) {
    return runtime.close(*plugin.host, SystemClock::instance().monotonic_ns() +
                                           seconds * std::int64_t{1'000'000'000});
  }
  RuntimeOptions with_clock(RuntimeOptions options) {
    options.clock = &clock;
    return options;
  }
  ContractCounters counters(std::string_view name) {
    for (const ContractInfo& info : runtime.bus().contracts()) {
      if (info.name == name) return info.counters;
    }
    return {};
  }

  ManualClock clock;
  Runtime runtime;
};

}  // namespace gantry::kernel::test
