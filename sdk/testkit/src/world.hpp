// SPDX-License-Identifier: Apache-2.0
//
// The inside of FakeHost. The opaque types of the ABI are never defined here (the kernel defines
// them, and both may be linked into one test): their pointers are these structs, cast.
#pragma once

#include <gantry/testkit/fake_host.hpp>

#include <deque>
#include <functional>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gantry::testkit::detail {

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

/// One reference to a body.
class BodyHold {
 public:
  BodyHold() = default;
  explicit BodyHold(const gantry_body* body) : body_(body) {
    if (body_ != nullptr) body_->retain(body_->owner);
  }
  static BodyHold adopt(const gantry_body* body) {
    BodyHold hold;
    hold.body_ = body;
    return hold;
  }
  BodyHold(const BodyHold& o) : BodyHold(o.body_) {}
  BodyHold(BodyHold&& o) noexcept : body_(std::exchange(o.body_, nullptr)) {}
  BodyHold& operator=(BodyHold o) noexcept {
    std::swap(body_, o.body_);
    return *this;
  }
  ~BodyHold() {
    if (body_ != nullptr) body_->release(body_->owner);
  }
  [[nodiscard]] const gantry_body* get() const { return body_; }

 private:
  const gantry_body* body_ = nullptr;
};

/// JSON text of a body, "null" without one.
std::string body_text(const gantry_body* body);
BodyHold json_body(std::string text);

struct Participant {
  World* world = nullptr;
  std::string name;
  std::string config = "{}";
  gantry_host_api api{};
  std::unique_ptr<Host> cpp;
  gantry_plugin plugin{};  // size 0 for the test's own participants
  bool closing = false;
  int suitability = -1;

  gantry_host* raw() { return reinterpret_cast<gantry_host*>(this); }
  static Participant& of(gantry_host* host) { return *reinterpret_cast<Participant*>(host); }
};

inline World& world_of(gantry_host* host) { return *Participant::of(host).world; }

/// Trace, deadline and cancellation. Counted; `cancelled` is shared with the call it belongs to.
struct WorkContext {
  int references = 1;
  std::int64_t deadline_ns = kNever;
  std::uint64_t trace_hi = 0, trace_lo = 0, span = 0;
  std::shared_ptr<bool> cancelled = std::make_shared<bool>(false);

  gantry_context* raw() { return reinterpret_cast<gantry_context*>(this); }
  static WorkContext& of(gantry_context* c) { return *reinterpret_cast<WorkContext*>(c); }
  static const WorkContext& of(const gantry_context* c) {
    return *reinterpret_cast<const WorkContext*>(c);
  }
};
void release(WorkContext* context);

/// A piece of queued work. Exactly one of run and drop is called.
struct Task {
  Participant* owner = nullptr;
  std::function<void()> run;
  std::function<void()> drop;
  WorkContext* context = nullptr;  // counted
  bool may_block = false;
};

struct Timer {
  std::uint64_t id = 0;
  Participant* owner = nullptr;
  std::int64_t due_ns = 0;
  std::int64_t period_ns = 0;
  gantry_closure work{};
};

struct Subscription {
  gantry_handle id = 0;
  Participant* owner = nullptr;
  gantry_event_fn handler = nullptr;
  void* user = nullptr;
  void (*drop)(void*) = nullptr;
  gantry_subscribe_options options{};
  struct Queued {
    BodyHold body;
    std::string sender;
    std::uint64_t key = 0;
    std::size_t weight = 0;
  };
  std::deque<Queued> queue;
  std::size_t bytes = 0;
  bool closed = false;
};

struct Provider {
  Participant* owner = nullptr;
  gantry_call_fn call = nullptr;
  gantry_accept_fn accept = nullptr;
  void* user = nullptr;
  void (*drop)(void*) = nullptr;
};

struct Contract {
  std::string name;
  std::uint32_t kind = 0;
  std::map<Participant*, const gantry_contract*> declared;
  std::vector<std::shared_ptr<Subscription>> subscribers;
  std::vector<std::shared_ptr<Provider>> providers;
};

struct Call {
  gantry_handle id = 0;
  World* world = nullptr;
  Participant* caller = nullptr;
  std::shared_ptr<Provider> provider;
  std::string contract;
  gantry_completion_fn completion = nullptr;
  void* user = nullptr;
  bool complete_inline = false;
  WorkContext* context = new WorkContext;  // counted; what the handler runs in
  std::shared_ptr<bool> parent_cancelled;
  std::uint64_t deadline_timer = 0;
  int server_references = 0;
  bool answered = false;
  bool finished = false;
  std::optional<gantry_closure> on_cancel;

  Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() { release(context); }
  gantry_incoming* raw() { return reinterpret_cast<gantry_incoming*>(this); }
  static Call& of(gantry_incoming* c) { return *reinterpret_cast<Call*>(c); }
};

struct StreamPair;

struct StreamSide {
  StreamPair* pair = nullptr;
  Participant* owner = nullptr;
  gantry_stream_events events{};
  void* user = nullptr;
  int references = 0;
  bool attached = false;
  bool manual_credit = false;
  bool closed = false;   // this side closed
  bool ended = false;    // drop was called or is on its way
  bool end_due = false;  // the other side closed
  bool wants_credit = false;
  bool writable_due = false;
  std::int64_t credit = 16;  // chunks it may still send
  std::deque<BodyHold> inbox;
  gantry_status end_status = GANTRY_OK;
  Error end_error;

  gantry_stream* raw() { return reinterpret_cast<gantry_stream*>(this); }
  static StreamSide& of(gantry_stream* s) { return *reinterpret_cast<StreamSide*>(s); }
};

struct StreamPair {
  World* world = nullptr;
  std::string contract;
  StreamSide sides[2];  // 0 opened it, 1 serves it
  StreamSide& other(StreamSide& side) { return &side == &sides[0] ? sides[1] : sides[0]; }
};

struct Metric {
  int kind = 0;
  double value = 0;
};

struct World {
  // ---- participants and life cycle (fake_host.cpp)
  std::list<std::unique_ptr<Participant>> participants;
  std::vector<Participant*> loaded;  // plugins, in order
  Participant* find(std::string_view name);
  Participant& add(std::string_view name, std::string config);
  void close(Participant& participant);
  ~World();

  // ---- executor (fake_exec.cpp)
  std::deque<Task> control, others;
  std::map<std::pair<std::int64_t, std::uint64_t>, Timer> timers;  // by due time, then age
  ManualClock own_clock;
  ManualClock* clock = &own_clock;
  std::int64_t now_ns() const { return clock->monotonic_ns(); }
  /// Forward only: a timer that is late fires now.
  void advance_to(std::int64_t ns);
  std::uint64_t last_id = 0;
  WorkContext* current = nullptr;
  WorkContext root;
  bool may_block = true;  // the test's own thread may
  void queue(Participant& owner, std::uint32_t lane, std::function<void()> run,
             std::function<void()> drop = {}, bool may_block = false,
             WorkContext* context = nullptr);
  bool run_one();
  bool fire_next_timer(std::int64_t until_ns);
  std::uint64_t start_timer(Participant& owner, std::int64_t delay_ns, std::int64_t period_ns,
                            gantry_closure work);
  void cancel_timer(std::uint64_t id);
  /// Runs `work` as life-cycle code or a handler of the participant.
  template <class F>
  auto enter(WorkContext& context, bool blocking, F&& work) {
    WorkContext* const before = std::exchange(current, &context);
    const bool could_block = std::exchange(may_block, blocking);
    struct Leave {
      World& world;
      WorkContext* before;
      bool could_block;
      ~Leave() {
        world.current = before;
        world.may_block = could_block;
      }
    } leave{*this, before, could_block};
    return work();
  }
  WorkContext& here() { return current != nullptr ? *current : root; }

  // ---- bus (fake_bus.cpp, fake_events.cpp, fake_stream.cpp)
  std::map<std::uint64_t, Contract> contracts;
  std::map<gantry_handle, std::shared_ptr<Call>> open_calls;
  std::list<std::unique_ptr<StreamPair>> streams;
  Contract* expect(std::uint64_t id, std::uint32_t kind, gantry_error* error);
  std::shared_ptr<Provider> choose(Contract& contract, std::string_view target);
  gantry_status begin_call(Participant& caller, Contract& contract, BodyHold request,
                           const gantry_call_options* options, gantry_completion_fn completion,
                           void* user, gantry_handle* out, bool from_json);
  void arm_deadline(const std::shared_ptr<Call>& call);
  void serve_call(const std::shared_ptr<Call>& call, const Contract& contract, BodyHold request,
                  const gantry_call_options& options, bool from_json);
  void finish(const std::shared_ptr<Call>& call, gantry_status status, const BodyHold& response,
              const Error& error, bool by_server);
  void release_call(Call& call);
  void wait_for(const std::shared_ptr<Call>& call);
  void close_subscription(const std::shared_ptr<Subscription>& subscription);
  void close_bus_of(Participant& participant);
  void close_side(StreamSide& side, gantry_status status, const Error& error);
  void drain(StreamSide& side);
  void schedule(StreamSide& side);

  // ---- what a test looks at
  std::vector<LogLine> logs;
  std::vector<Message> events, calls;
  std::map<std::string, Metric> metrics;
  std::map<std::string, HealthState> health;
  std::size_t double_answers = 0;
};

/// What a handler is told of a message.
gantry_envelope envelope_of(const WorkContext& context, std::uint64_t contract,
                            const std::string& sender);

void fill_event_functions(gantry_host_bus& table);
void fill_stream_functions(gantry_host_bus& table);
const gantry_host_exec& exec_table();
const gantry_host_bus& bus_table();
const void* find_table(gantry_host* host, const char* id);

/// Fills an out-parameter that may be NULL; returns the code.
gantry_status give(const Error& error, gantry_error* out);

}  // namespace gantry::testkit::detail
