// SPDX-License-Identifier: Apache-2.0
//
// How fast the bus is, beside what the machine itself can do in the same run: waking a thread
// through an eventfd, and through a queue of std::mutex and std::condition_variable.
// Every number is printed by this program; the targets are those of docs/performance.md.
#include "bus/body.hpp"
#include "bus/bus.hpp"
#include "bus/bus_table.hpp"
#include "exec/exec.hpp"
#include "exec/exec_table.hpp"
#include "host.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace gantry::kernel;

namespace {

std::int64_t now_ns() { return SystemClock::instance().monotonic_ns(); }

void spin_ns(std::int64_t ns) {
  const std::int64_t until = now_ns() + ns;
  while (now_ns() < until) {
  }
}

struct Latency {
  std::vector<std::int64_t> samples;
  void print(const std::string& name, const char* target) {
    std::sort(samples.begin(), samples.end());
    const auto at = [&](double q) {
      return static_cast<double>(
                 samples[static_cast<std::size_t>(q * static_cast<double>(samples.size() - 1))]) /
             1000.0;
    };
    std::printf("%-58s p50 %7.2f us   p90 %7.2f us   p99 %7.2f us   %s\n", name.c_str(), at(0.5),
                at(0.9), at(0.99), target);
  }
};

void print_rate(const char* name, double count, std::int64_t ns, const char* target) {
  std::printf("%-58s %8.3f M/s   (%6.0f ns each)   %s\n", name,
              count * 1e3 / static_cast<double>(ns), static_cast<double>(ns) / count, target);
}

constexpr int kHops = 5000;

// What lies between the hops: nothing, or a pause after which receiver and core are asleep again.
struct Pace {
  const char* name;
  std::int64_t quiet_ns;
};
constexpr Pace kPaces[] = {{"back to back", 0}, {"after pauses of 200 us", 200'000}};

std::string at_pace(const char* what, const Pace& pace) {
  return std::string(what) + ", " + pace.name;
}

// ---- baselines

Latency eventfd_hop(const Pace& pace) {
  const int fd = eventfd(0, 0);
  std::atomic<std::int64_t> arrived{0};
  std::thread reader([&] {
    std::uint64_t value = 0;
    for (int i = 0; i < kHops; ++i) {
      if (read(fd, &value, sizeof value) != sizeof value) return;
      arrived.store(now_ns(), std::memory_order_release);
    }
  });
  Latency latency;
  for (int i = 0; i < kHops; ++i) {
    spin_ns(pace.quiet_ns);
    arrived.store(0);
    const std::uint64_t one = 1;
    const std::int64_t start = now_ns();
    if (write(fd, &one, sizeof one) != sizeof one) break;
    while (arrived.load(std::memory_order_acquire) == 0) {
    }
    latency.samples.push_back(arrived - start);
  }
  reader.join();
  close(fd);
  return latency;
}

class LockedQueue {
 public:
  void push(std::int64_t value) {
    std::lock_guard lock(mutex_);
    items_.push_back(value);
    filled_.notify_one();
  }
  std::int64_t pop() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return !items_.empty(); });
    const std::int64_t value = items_.front();
    items_.pop_front();
    return value;
  }

 private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<std::int64_t> items_;
};

Latency queue_hop(const Pace& pace) {
  LockedQueue queue;
  std::atomic<std::int64_t> arrived{0};
  std::thread reader([&] {
    for (int i = 0; i < kHops; ++i) {
      queue.pop();
      arrived.store(now_ns(), std::memory_order_release);
    }
  });
  Latency latency;
  for (int i = 0; i < kHops; ++i) {
    spin_ns(pace.quiet_ns);
    arrived.store(0);
    const std::int64_t start = now_ns();
    queue.push(i);
    while (arrived.load(std::memory_order_acquire) == 0) {
    }
    latency.samples.push_back(arrived - start);
  }
  reader.join();
  return latency;
}

void queue_rate() {
  constexpr int kCount = 1'000'000;
  LockedQueue queue;
  const std::int64_t start = now_ns();
  std::thread reader([&] {
    for (int i = 0; i < kCount; ++i) queue.pop();
  });
  for (int i = 0; i < kCount; ++i) queue.push(i);
  reader.join();
  print_rate("baseline: std::mutex + condvar queue, one way", kCount, now_ns() - start, "");
}

// ---- the bus

const std::string kEvent = "bench.event/1";
const std::string kCall = "bench.call/1";
const std::string kStream = "bench.stream/1";

const gantry_contract* declare(const std::string& name, std::uint32_t kind) {
  static std::deque<gantry_contract> made;
  gantry_contract& c = made.emplace_back();
  c.size = sizeof c;
  c.kind = kind;
  c.name = to_str(name);
  c.id = fnv1a(name);
  return &c;
}

// An object body without allocation: what is measured is the bus, not a codec.
const gantry_body& static_body() {
  static const int object = 1;
  static const gantry_body body = [] {
    gantry_body b{};
    b.size = sizeof b;
    b.object = &object;
    b.retain = [](void*) {};
    b.release = [](void*) {};
    return b;
  }();
  return body;
}

struct Rig {
  Runtime runtime;
  gantry_host* a = &runtime.create_host(HostOptions{"a", 1, false, false});
  gantry_host* b = &runtime.create_host(HostOptions{"b", 1, false, false});
  const gantry_host_bus& bus = kBusTable;
  Rig() {
    for (gantry_host* host : {a, b}) {
      bus.register_contract(host, declare(kEvent, GANTRY_EVENT), nullptr);
      bus.register_contract(host, declare(kCall, GANTRY_CALL), nullptr);
      bus.register_contract(host, declare(kStream, GANTRY_STREAM), nullptr);
    }
  }
};

Latency bus_hop(const Pace& pace) {
  std::atomic<std::int64_t> arrived{0};
  Rig rig;
  rig.bus.subscribe(
      rig.b, fnv1a(kEvent), nullptr,
      [](void* user, const gantry_body*, const gantry_envelope*) {
        static_cast<std::atomic<std::int64_t>*>(user)->store(now_ns(), std::memory_order_release);
      },
      &arrived, nullptr, nullptr, nullptr);
  Latency latency;
  for (int i = 0; i < kHops; ++i) {
    spin_ns(pace.quiet_ns);
    arrived.store(0);
    const std::int64_t start = now_ns();
    rig.bus.publish(rig.a, fnv1a(kEvent), &static_body(), nullptr);
    while (arrived.load(std::memory_order_acquire) == 0) {
    }
    latency.samples.push_back(arrived - start);
  }
  return latency;
}

// Call from a foreign thread (as a transport loop does) until its completion, which runs inline.
Latency call_round_trip(const Pace& pace) {
  std::atomic<std::int64_t> arrived{0};
  Rig rig;
  rig.bus.serve(
      rig.b, fnv1a(kCall),
      [](void*, gantry_incoming* call, const gantry_body* request, const gantry_envelope*) {
        kBusTable.complete(call, GANTRY_OK, request, nullptr);
        kBusTable.incoming_release(call);
      },
      nullptr, nullptr, nullptr);
  gantry_call_options options{};
  options.size = sizeof options;
  options.lane = GANTRY_LANE_INTERACTIVE;
  options.flags = GANTRY_CALL_COMPLETE_INLINE;
  Latency latency;
  for (int i = 0; i < kHops; ++i) {
    spin_ns(pace.quiet_ns);
    arrived.store(0);
    const std::int64_t start = now_ns();
    rig.bus.call(
        rig.a, fnv1a(kCall), &static_body(), &options,
        [](void* user, gantry_status, const gantry_body*, const gantry_error*) {
          static_cast<std::atomic<std::int64_t>*>(user)->store(now_ns(), std::memory_order_release);
        },
        &arrived, nullptr);
    while (arrived.load(std::memory_order_acquire) == 0) {
    }
    latency.samples.push_back(arrived - start);
  }
  const PoolStats stats = rig.runtime.exec().pool().stats();
  std::printf("  worker wakes per call: %.2f\n", static_cast<double>(stats.wakes) / kHops);
  return latency;
}

void event_rate(bool from_worker) {
  constexpr std::uint64_t kCount = 4'000'000;
  struct Received {
    std::atomic<std::uint64_t> count{0};
    std::promise<void> all;
  } received;
  Rig rig;
  gantry_subscribe_options options{sizeof options, 1u << 20, GANTRY_OVERFLOW_REJECT, 0};
  rig.bus.subscribe(
      rig.b, fnv1a(kEvent), &options,
      [](void* user, const gantry_body*, const gantry_envelope*) {
        auto& mine = *static_cast<Received*>(user);
        if (mine.count.fetch_add(1, std::memory_order_relaxed) + 1 == kCount) mine.all.set_value();
      },
      &received, nullptr, nullptr, nullptr);
  const auto publish_all = [&] {
    for (std::uint64_t i = 0; i < kCount; ++i) {
      while (i - received.count.load(std::memory_order_relaxed) > 16384) std::this_thread::yield();
      rig.bus.publish(rig.a, fnv1a(kEvent), &static_body(), nullptr);
    }
  };
  const std::int64_t start = now_ns();
  if (from_worker) {
    gantry_closure work{};
    work.user = const_cast<void*>(static_cast<const void*>(&publish_all));
    work.run = [](void* user) { (*static_cast<decltype(publish_all)*>(user))(); };
    kExecTable.post(rig.a, 0, GANTRY_LANE_INTERACTIVE, work);
  } else {
    publish_all();
  }
  received.all.get_future().wait();  // asleep: a third thread at work would take from the pair
  print_rate(from_worker ? "sustained deliveries, handler to handler (1 core pair)"
                         : "sustained deliveries, thread to handler (1 core pair)",
             static_cast<double>(kCount), now_ns() - start, "target >= 2 M/s");
  const PoolStats stats = rig.runtime.exec().pool().stats();
  std::printf("  of 1,000 events: %.2f wakes, %.2f handed on, %.2f rescued\n",
              static_cast<double>(stats.wakes) * 1e3 / kCount,
              static_cast<double>(stats.passed) * 1e3 / kCount,
              static_cast<double>(stats.rescued) * 1e3 / kCount);
}

void call_rate() {
  constexpr int kCount = 500'000, kInFlight = 256;
  struct State {
    Rig rig;
    std::atomic<int> started{0}, finished{0};
    void next() {
      if (started.fetch_add(1) >= kCount) return;
      kBusTable.call(
          rig.a, fnv1a(kCall), &static_body(), nullptr,
          [](void* user, gantry_status, const gantry_body*, const gantry_error*) {
            auto& state = *static_cast<State*>(user);
            state.finished.fetch_add(1);
            state.next();
          },
          this, nullptr);
    }
  } state;
  kBusTable.serve(
      state.rig.b, fnv1a(kCall),
      [](void*, gantry_incoming* call, const gantry_body* request, const gantry_envelope*) {
        kBusTable.complete(call, GANTRY_OK, request, nullptr);
        kBusTable.incoming_release(call);
      },
      nullptr, nullptr, nullptr);
  const std::int64_t start = now_ns();
  for (int i = 0; i < kInFlight; ++i) state.next();
  while (state.finished.load() < kCount) std::this_thread::yield();
  print_rate("calls, plugin to plugin and back, 256 in flight", kCount, now_ns() - start, "");
}

void stream_rate() {
  constexpr int kCount = 1'000'000;
  struct State {
    Rig rig;
    std::atomic<int> received{0};
    int sent = 0;
    gantry_stream* mine = nullptr;
    void pump() {
      while (sent < kCount && kBusTable.stream_send(mine, &static_body()) == GANTRY_OK) ++sent;
    }
  } state;
  kBusTable.serve_stream(
      state.rig.b, fnv1a(kStream),
      [](void* user, gantry_stream* stream, const gantry_body*, const gantry_envelope*) {
        gantry_stream_events events{};
        events.size = sizeof events;
        events.on_chunk = [](void* s, const gantry_body*) {
          static_cast<State*>(s)->received.fetch_add(1, std::memory_order_relaxed);
        };
        gantry_stream_options options{};
        options.size = sizeof options;
        options.receive_credit = 256;
        kBusTable.stream_accept(stream, &options, &events, user);
        kBusTable.stream_release(stream);
      },
      &state, nullptr, nullptr);
  gantry_stream_events events{};
  events.size = sizeof events;
  events.on_writable = [](void* s) { static_cast<State*>(s)->pump(); };
  kBusTable.open_stream(state.rig.a, fnv1a(kStream), &static_body(), nullptr, &events, &state,
                        &state.mine, nullptr);
  const std::int64_t start = now_ns();
  gantry_closure work{};
  work.user = &state;
  work.run = [](void* s) { static_cast<State*>(s)->pump(); };
  kExecTable.post(state.rig.a, 0, GANTRY_LANE_INTERACTIVE, work);
  while (state.received.load() < kCount) std::this_thread::yield();
  print_rate("stream chunks, credit 256", kCount, now_ns() - start, "");
  kBusTable.stream_close(state.mine, GANTRY_OK, nullptr);
  kBusTable.stream_release(state.mine);
}

// What a transport does for each HTTP request: open, one chunk back, close.
void exchange_rate() {
  constexpr int kCount = 300'000, kInFlight = 64;
  struct State {
    Rig rig;
    std::atomic<int> started{0}, finished{0};
    void next() {
      if (started.fetch_add(1) >= kCount) return;
      gantry_stream_events events{};
      events.size = sizeof events;
      events.on_end = [](void* s, gantry_status, const gantry_error*) {
        auto& state = *static_cast<State*>(s);
        state.finished.fetch_add(1);
        state.next();
      };
      gantry_stream* stream = nullptr;
      kBusTable.open_stream(rig.a, fnv1a(kStream), &static_body(), nullptr, &events, this, &stream,
                            nullptr);
      kBusTable.stream_release(stream);
    }
  } state;
  kBusTable.serve_stream(
      state.rig.b, fnv1a(kStream),
      [](void*, gantry_stream* stream, const gantry_body* opening, const gantry_envelope*) {
        gantry_stream_events events{};
        events.size = sizeof events;
        kBusTable.stream_accept(stream, nullptr, &events, nullptr);
        kBusTable.stream_send(stream, opening);
        kBusTable.stream_close(stream, GANTRY_OK, nullptr);
        kBusTable.stream_release(stream);
      },
      nullptr, nullptr, nullptr);
  const std::int64_t start = now_ns();
  for (int i = 0; i < kInFlight; ++i) state.next();
  while (state.finished.load() < kCount) std::this_thread::yield();
  print_rate("streams opened, answered by one chunk and closed, 64 at once", kCount,
             now_ns() - start, "");
}

void table_overhead() {
  constexpr int kCount = 20'000'000;
  Rig rig;
  volatile const gantry_host_exec* exec = &kExecTable;  // as unknown as it is to a plugin
  int sum = 0;
  std::int64_t start = now_ns();
  for (int i = 0; i < kCount; ++i) sum += exec->may_block(rig.a);
  std::int64_t ns = now_ns() - start;
  std::printf("%-58s %8.2f ns   (%d)\n", "one call through a C table (may_block)",
              static_cast<double>(ns) / kCount, sum > 0);
  start = now_ns();
  for (int i = 0; i < kCount; ++i) rig.bus.publish(rig.a, fnv1a(kEvent), &static_body(), nullptr);
  ns = now_ns() - start;
  std::printf("%-58s %8.2f ns\n", "publish that nobody subscribes to",
              static_cast<double>(ns) / kCount);
}

}  // namespace

// bus_bench [rates]: with "rates" only what is counted per second.
int main(int argc, char** argv) {
  std::printf("cores: %u\n", std::thread::hardware_concurrency());
  const bool only_rates = argc > 1 && std::string_view(argv[1]) == "rates";
  for (const Pace& pace : kPaces) {
    if (only_rates) break;
    eventfd_hop(pace).print(at_pace("baseline: eventfd, one way", pace), "");
    queue_hop(pace).print(at_pace("baseline: mutex + condvar queue", pace), "");
    bus_hop(pace).print(at_pace("idle bus hop", pace),
                        pace.quiet_ns == 0 ? "target p50 <= 6 us" : "");
    call_round_trip(pace).print(at_pace("idle call and its completion", pace), "");
  }
  queue_rate();
  event_rate(false);
  event_rate(true);
  call_rate();
  stream_rate();
  exchange_rate();
  table_overhead();
  return 0;
}
