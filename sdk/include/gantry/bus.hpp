// SPDX-License-Identifier: Apache-2.0
//
// Bus: events, calls and streams with C++ types. Thin templates over gantry.host.bus/1; every
// member may be called from any thread. Handlers run on the plugin's strand.
#pragma once

#include <gantry/abi/bus.h>
#include <gantry/abi/exec.h>
#include <gantry/contract.hpp>
#include <gantry/result.hpp>
#include <gantry/time.hpp>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace gantry {

struct PublishOptions {
  gantry_lane lane = GANTRY_LANE_INTERACTIVE;
  std::uint64_t key = 0;  // orders and coalesces
};

struct SubscribeOptions {
  std::uint32_t max_items = 1024;
  gantry_overflow overflow = GANTRY_OVERFLOW_REJECT;
  std::size_t max_bytes = 0;  // 0: only items are counted
};

struct CallOptions {
  Duration timeout{0};  // 0: the host's default, always bounded by the inherited deadline
  gantry_lane lane = GANTRY_LANE_INTERACTIVE;
  std::uint64_t key = 0;
  std::string target{};  // name of the serving plugin; empty: the most suitable one
};

struct StreamOptions {
  std::uint32_t receive_credit = 16;  // chunks the other side may have on the way to us
  bool manual_credit = false;         // credit returns only through grant()
  gantry_lane lane = GANTRY_LANE_INTERACTIVE;
  std::uint64_t key = 0;
  std::string target{};
};

/// Who sent a message and under which deadline it is handled.
struct CallInfo {
  std::string_view sender;
  std::uint64_t key = 0;
  Deadline deadline;
  std::uint64_t trace_hi = 0, trace_lo = 0;

  explicit CallInfo(const gantry_envelope& e)
      : sender(view(e.sender)),
        key(e.key),
        deadline{e.deadline_ns},
        trace_hi(e.trace_hi),
        trace_lo(e.trace_lo) {}
};

/// Ends its subscription when it goes.
class Subscription {
 public:
  Subscription() = default;
  Subscription(gantry_host* host, const gantry_host_bus* table, gantry_handle id)
      : host_(host), table_(table), id_(id) {}
  Subscription(Subscription&& o) noexcept
      : host_(o.host_), table_(o.table_), id_(std::exchange(o.id_, 0)) {}
  Subscription& operator=(Subscription&& o) noexcept {
    std::swap(host_, o.host_);
    std::swap(table_, o.table_);
    std::swap(id_, o.id_);
    return *this;
  }
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;
  ~Subscription() {
    if (id_ != 0) table_->unsubscribe(host_, id_);
  }

 private:
  gantry_host* host_ = nullptr;
  const gantry_host_bus* table_ = nullptr;
  gantry_handle id_ = 0;
};

/// The right and duty to answer one call. Move it to where the answer will be known; answering
/// twice is impossible, and dropping it unanswered answers `internal`.
template <CallContract C>
class Reply {
 public:
  Reply(const gantry_host_bus* table, gantry_incoming* adopted) : table_(table), call_(adopted) {}
  Reply(Reply&& o) noexcept : table_(o.table_), call_(std::exchange(o.call_, nullptr)) {}
  Reply& operator=(Reply&& o) noexcept {
    std::swap(table_, o.table_);
    std::swap(call_, o.call_);
    return *this;
  }
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;
  ~Reply() {
    if (call_ != nullptr) table_->incoming_release(call_);
  }

  void operator()(Result<typename C::Response> result) {
    if (result.ok()) {
      send(make_body<typename C::Response>(std::move(result).value()));
    } else {
      fail(result.error());
    }
  }
  /// Answers with a response that already is a message (for example one passed on).
  void send(const Ref<typename C::Response>& response) {
    table_->complete(call_, GANTRY_OK, response.body(), nullptr);
    finish();
  }
  void fail(const Error& error) {
    gantry_error raw = export_error(error);
    table_->complete(call_, raw.code, nullptr, &raw);
    (void)adopt_error(raw);
    finish();
  }
  [[nodiscard]] bool cancelled() const { return table_->incoming_cancelled(call_) != 0; }
  /// Runs `function` on the strand when the caller gives up.
  template <class F>
  void on_cancel(F&& function);

 private:
  void finish() { table_->incoming_release(std::exchange(call_, nullptr)); }
  const gantry_host_bus* table_;
  gantry_incoming* call_;
};

/// A call that was made. cancel() asks the server to stop; dropping the handle changes nothing.
class CallHandle {
 public:
  CallHandle() = default;
  CallHandle(gantry_host* host, const gantry_host_bus* table, gantry_handle id)
      : host_(host), table_(table), id_(id) {}
  void cancel() {
    if (id_ != 0) table_->cancel(host_, std::exchange(id_, 0));
  }

 private:
  gantry_host* host_ = nullptr;
  const gantry_host_bus* table_ = nullptr;
  gantry_handle id_ = 0;
};

/// One side of a stream that sends `Out` chunks. Shared between copies; the stream stays open until
/// close() or until the last copy goes (then it closes as cancelled).
template <class Out>
class Stream {
 public:
  Stream() = default;
  Stream(const gantry_host_bus* table, gantry_stream* adopted)
      : side_(std::make_shared<Side>(table, adopted)) {}

  explicit operator bool() const { return side_ != nullptr; }
  /// Sends one chunk. ResourceExhausted: no credit, nothing was sent, on_writable will come.
  /// FailedPrecondition: the stream has ended.
  Result<void> send(Out chunk) { return send(make_body<Out>(std::move(chunk))); }
  Result<void> send(const Ref<Out>& chunk) {
    const gantry_status status = side_->table->stream_send(side_->stream, chunk.body());
    if (status == GANTRY_OK) return {};
    return Error{static_cast<Code>(status),
                 status == GANTRY_RESOURCE_EXHAUSTED
                     ? "the receiver has no room for more chunks yet"
                     : "the stream has ended",
                 {}};
  }
  /// Lets the other side send `chunks` more (only with manual_credit).
  void grant(std::uint32_t chunks) { side_->table->stream_grant(side_->stream, chunks); }
  /// Ends the stream after what was sent before.
  void close() { side_->table->stream_close(side_->stream, GANTRY_OK, nullptr); }
  void close(const Error& error) {
    gantry_error raw = export_error(error);
    side_->table->stream_close(side_->stream, raw.code, &raw);
    (void)adopt_error(raw);
  }

 private:
  struct Side {
    Side(const gantry_host_bus* t, gantry_stream* s) : table(t), stream(s) {}
    Side(const Side&) = delete;
    Side& operator=(const Side&) = delete;
    ~Side() {
      table->stream_close(stream, GANTRY_CANCELLED, nullptr);
      table->stream_release(stream);
    }
    const gantry_host_bus* table;
    gantry_stream* stream;
  };
  std::shared_ptr<Side> side_;
};

/// What one side does with a stream that receives `In` chunks. All run on the plugin's strand.
template <class In>
struct StreamHandlers {
  std::function<void(const Ref<In>&)> on_chunk;
  std::function<void()> on_writable;
  std::function<void(const Error&)> on_end;  // Code::Ok when the other side closed normally
};

namespace detail {

template <class In>
const gantry_stream_events& stream_events() {
  using Handlers = StreamHandlers<In>;
  static const gantry_stream_events table = [] {
    gantry_stream_events t{};
    t.size = sizeof t;
    t.on_chunk = [](void* user, const gantry_body* chunk) {
      auto& handlers = *static_cast<Handlers*>(user);
      auto message = read_body<In>(chunk);
      if (message.ok() && handlers.on_chunk) handlers.on_chunk(*message);
    };
    t.on_writable = [](void* user) {
      if (auto& h = *static_cast<Handlers*>(user); h.on_writable) h.on_writable();
    };
    t.on_end = [](void* user, gantry_status status, const gantry_error* error) {
      if (auto& h = *static_cast<Handlers*>(user); h.on_end) h.on_end(share_error(status, error));
    };
    t.drop = [](void* user) { delete static_cast<Handlers*>(user); };
    return t;
  }();
  return table;
}

/// The three shapes a call handler may have.
template <class C, class F>
constexpr bool kAnswersNow = std::is_invocable_v<F&, const typename C::Request&>;
template <class C, class F>
constexpr bool kAnswersNowWithInfo =
    std::is_invocable_v<F&, const typename C::Request&, const CallInfo&>;
template <class C, class F>
constexpr bool kAnswersLater =
    std::is_invocable_v<F&, const Ref<typename C::Request>&, const CallInfo&, Reply<C>>;

inline Error from_exception() {
  try {
    throw;
  } catch (const std::exception& e) {
    return internal_error(std::string("the handler threw: ") + e.what());
  } catch (...) {
    return internal_error("the handler threw something that is not a std::exception");
  }
}

}  // namespace detail

class Bus {
 public:
  Bus(gantry_host* host, const gantry_host_bus* table, const gantry_host_exec* exec)
      : host_(host), table_(table), exec_(exec) {}

  // ---- events -----------------------------------------------------------------------------------

  /// Delivers to every subscriber; never blocks.
  template <EventContract C>
  void publish(typename C::Event event, PublishOptions options = {}) {
    know<C>();
    const auto body = make_body<typename C::Event>(std::move(event));
    const gantry_send_options raw{sizeof raw, static_cast<std::uint32_t>(options.lane), 0,
                                  options.key};
    (void)table_->publish(host_, contract_of<C>().id, body.body(), &raw);
  }

  /// Calls `handler(const Event&)` or `handler(const Event&, const CallInfo&)` until the returned
  /// Subscription goes.
  template <EventContract C, class F>
  Result<Subscription> subscribe(F handler, SubscribeOptions options = {}) {
    know<C>();
    const gantry_subscribe_options raw{sizeof raw, options.max_items,
                                       static_cast<std::uint32_t>(options.overflow),
                                       options.max_bytes};
    auto* user = new F(std::move(handler));
    gantry_handle id = 0;
    gantry_error error{};
    const gantry_status status = table_->subscribe(
        host_, contract_of<C>().id, &raw,
        [](void* u, const gantry_body* body, const gantry_envelope* envelope) {
          auto event = read_body<typename C::Event>(body);
          if (!event.ok()) return;
          try {
            if constexpr (std::is_invocable_v<F&, const typename C::Event&, const CallInfo&>) {
              (*static_cast<F*>(u))(**event, CallInfo(*envelope));
            } else {
              (void)envelope;
              (*static_cast<F*>(u))(**event);
            }
          } catch (...) {
            (void)detail::from_exception();  // an event has nobody to answer
          }
        },
        user, [](void* u) { delete static_cast<F*>(u); }, &id, &error);
    if (status != GANTRY_OK) return adopt_error(error);
    return Subscription(host_, table_, id);
  }

  // ---- calls ------------------------------------------------------------------------------------

  /// Serves a call. `handler` is one of
  ///   Result<Response>(const Request&)                          answers at once
  ///   Result<Response>(const Request&, const CallInfo&)
  ///   void(const Ref<Request>&, const CallInfo&, Reply<C>)      answers when it likes
  template <CallContract C, class F>
  Result<void> serve(F handler) {
    know<C>();
    auto* user = new Served<F>{std::move(handler), table_};
    gantry_error error{};
    const gantry_status status = table_->serve(
        host_, contract_of<C>().id, &handle_call<C, F>, user,
        [](void* u) { delete static_cast<Served<F>*>(u); }, &error);
    if (status != GANTRY_OK) return adopt_error(error);
    return {};
  }

  /// Calls and later runs `done(Result<Ref<Response>>)` on this plugin's strand, exactly once.
  template <CallContract C, class F>
  CallHandle call(typename C::Request request, F done, CallOptions options = {}) {
    return start_call<C>(std::move(request), std::move(done), options, 0);
  }

  /// Calls and waits. Only where waiting is allowed: inside Host::blocking, on a dedicated strand,
  /// or on a thread of the plugin's own; elsewhere it is FailedPrecondition.
  template <CallContract C>
  Result<Ref<typename C::Response>> call_wait(typename C::Request request,
                                              CallOptions options = {}) {
    if (exec_->may_block(host_) == 0) {
      return failed_precondition(std::string("a handler on a strand must not wait for ") +
                                 std::string(C::kName) + "; use call() or Host::blocking");
    }
    struct Waiting {
      std::mutex mutex;
      std::condition_variable arrived;
      std::optional<Result<Ref<typename C::Response>>> result;
    };
    auto waiting = std::make_shared<Waiting>();
    start_call<C>(
        std::move(request),
        [waiting](Result<Ref<typename C::Response>> result) {
          const std::lock_guard lock(waiting->mutex);
          waiting->result.emplace(std::move(result));
          waiting->arrived.notify_one();
        },
        options, GANTRY_CALL_COMPLETE_INLINE);
    std::unique_lock lock(waiting->mutex);
    waiting->arrived.wait(lock, [&] { return waiting->result.has_value(); });
    return std::move(*waiting->result);
  }

  // ---- streams ----------------------------------------------------------------------------------

  /// Accepts streams. `accept(const Ref<Opening>&, const CallInfo&, Stream<Down>)` returns the
  /// handlers of the new stream, or an Error that closes it.
  template <StreamContract C, class F>
  Result<void> serve_stream(F accept, StreamOptions options = {}) {
    know<C>();
    auto* user = new ServedStream<F>{std::move(accept), table_, options};
    gantry_error error{};
    const gantry_status status = table_->serve_stream(
        host_, contract_of<C>().id, &accept_stream<C, F>, user,
        [](void* u) { delete static_cast<ServedStream<F>*>(u); }, &error);
    if (status != GANTRY_OK) return adopt_error(error);
    return {};
  }

  /// Opens a stream; a missing provider shows in handlers.on_end as Unavailable.
  template <StreamContract C>
  Result<Stream<typename C::Up>> open_stream(typename C::Opening opening,
                                             StreamHandlers<typename C::Down> handlers,
                                             const StreamOptions& options = {}) {
    know<C>();
    const auto body = make_body<typename C::Opening>(std::move(opening));
    const gantry_stream_options raw = raw_options(options);
    auto* user = new StreamHandlers<typename C::Down>(std::move(handlers));
    gantry_stream* stream = nullptr;
    gantry_error error{};
    const gantry_status status =
        table_->open_stream(host_, contract_of<C>().id, body.body(), &raw,
                            &detail::stream_events<typename C::Down>(), user, &stream, &error);
    if (status != GANTRY_OK) return adopt_error(error);
    return Stream<typename C::Up>(table_, stream);
  }

  /// How well this plugin suits the machine, 0 to 100, with the reason in plain words.
  void set_suitability(int score, std::string_view reason) {
    table_->set_suitability(host_, score, to_str(reason));
  }

  /// Calls any contract by name with JSON; `done(Result<std::string>)` gets the JSON answer.
  template <class F>
  CallHandle call_json(std::string_view contract, std::string_view request, F done,
                       CallOptions options = {}) {
    struct Pending {
      F done;
      const gantry_host_bus* table;
    };
    auto* user = new Pending{std::move(done), table_};
    const gantry_call_options raw = raw_options(options, 0);
    gantry_handle id = 0;
    const gantry_status status = table_->call_json(
        host_, to_str(contract), to_str(request), &raw,
        [](void* u, gantry_status s, const gantry_body* response, const gantry_error* e) {
          const std::unique_ptr<Pending> pending(static_cast<Pending*>(u));
          if (s != GANTRY_OK) {
            pending->done(Result<std::string>(share_error(s, e)));
            return;
          }
          gantry_buf out{};
          if (pending->table->body_to_json(response, &out) != GANTRY_OK) {
            pending->done(Result<std::string>(internal_error("the answer has no JSON form")));
            return;
          }
          pending->done(Result<std::string>(std::string(Buffer::adopt(out).text())));
        },
        user, &id);
    if (status != GANTRY_OK) {
      const std::unique_ptr<Pending> pending(user);
      pending->done(
          Result<std::string>(Error{static_cast<Code>(status), "the call was refused", {}}));
      return {};
    }
    return {host_, table_, id};
  }

 private:
  template <class F>
  struct Served {
    F handler;
    const gantry_host_bus* table;
  };
  template <class F>
  struct ServedStream {
    F accept;
    const gantry_host_bus* table;
    StreamOptions options;
  };

  /// Numbers the Bus objects of this library: a restarted plugin may get a host at an old address.
  static std::uint64_t next_generation() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }

  /// Registers the contract with the host, once per thread and Bus; repeating it is harmless.
  template <class C>
  void know() {
    static thread_local std::uint64_t known_to = 0;
    if (known_to == generation_) return;
    gantry_error error{};
    if (table_->register_contract(host_, &contract_of<C>(), &error) != GANTRY_OK) {
      (void)adopt_error(error);  // the call that follows reports the contract as unknown
    }
    known_to = generation_;
  }

  static gantry_call_options raw_options(const CallOptions& options, std::uint32_t flags) {
    return {sizeof(gantry_call_options),
            static_cast<std::uint32_t>(options.lane),
            flags,
            options.timeout.count(),
            options.key,
            to_str(options.target)};
  }
  static gantry_stream_options raw_options(const StreamOptions& options) {
    return {sizeof(gantry_stream_options),
            options.receive_credit,
            options.manual_credit ? 1U : 0U,
            static_cast<std::uint32_t>(options.lane),
            0,
            options.key,
            to_str(options.target)};
  }

  template <CallContract C, class F>
  CallHandle start_call(typename C::Request request, F done, const CallOptions& options,
                        std::uint32_t flags) {
    know<C>();
    using Response = typename C::Response;
    const auto body = make_body<typename C::Request>(std::move(request));
    const gantry_call_options raw = raw_options(options, flags);
    auto* user = new F(std::move(done));
    gantry_handle id = 0;
    const gantry_status status = table_->call(
        host_, contract_of<C>().id, body.body(), &raw,
        [](void* u, gantry_status s, const gantry_body* response, const gantry_error* e) {
          const std::unique_ptr<F> function(static_cast<F*>(u));
          try {
            if (s != GANTRY_OK) {
              (*function)(Result<Ref<Response>>(share_error(s, e)));
            } else {
              (*function)(read_body<Response>(response));
            }
          } catch (...) {
            (void)detail::from_exception();  // a completion has nobody to answer
          }
        },
        user, &id);
    if (status != GANTRY_OK) {
      const std::unique_ptr<F> function(user);
      (*function)(Result<Ref<Response>>(Error{
          static_cast<Code>(status), "the bus refused the call of " + std::string(C::kName), {}}));
      return {};
    }
    return {host_, table_, id};
  }

  template <CallContract C, class F>
  static void handle_call(void* user, gantry_incoming* call, const gantry_body* body,
                          const gantry_envelope* envelope) {
    auto& served = *static_cast<Served<F>*>(user);
    Reply<C> reply(served.table, call);
    auto request = read_body<typename C::Request>(body);
    if (!request.ok()) {
      reply.fail(request.error());
      return;
    }
    if constexpr (detail::kAnswersLater<C, F>) {
      try {
        served.handler(*request, CallInfo(*envelope), std::move(reply));
      } catch (...) {
        // The reply went into the handler's frame; dropping it there has answered the caller.
        (void)detail::from_exception();
      }
    } else {
      try {
        if constexpr (detail::kAnswersNowWithInfo<C, F>) {
          reply(served.handler(**request, CallInfo(*envelope)));
        } else {
          static_assert(detail::kAnswersNow<C, F>, "not a handler for this contract");
          reply(served.handler(**request));
        }
      } catch (...) {
        reply.fail(detail::from_exception());
      }
    }
  }

  template <StreamContract C, class F>
  static void accept_stream(void* user, gantry_stream* stream, const gantry_body* body,
                            const gantry_envelope* envelope) {
    auto& served = *static_cast<ServedStream<F>*>(user);
    served.table->stream_retain(stream);  // one reference for us, one for the plugin's Stream
    Stream<typename C::Down> mine(served.table, stream);
    Result<StreamHandlers<typename C::Up>> handlers = internal_error("not accepted");
    auto opening = read_body<typename C::Opening>(body);
    try {
      handlers = opening.ok() ? served.accept(*opening, CallInfo(*envelope), mine)
                              : Result<StreamHandlers<typename C::Up>>(opening.error());
    } catch (...) {
      handlers = detail::from_exception();
    }
    if (handlers.ok()) {
      const gantry_stream_options raw = raw_options(served.options);
      served.table->stream_accept(stream, &raw, &detail::stream_events<typename C::Up>(),
                                  new StreamHandlers<typename C::Up>(std::move(*handlers)));
    } else {
      mine.close(handlers.error());
    }
    served.table->stream_release(stream);
  }

  gantry_host* host_;
  const gantry_host_bus* table_;
  const gantry_host_exec* exec_;
  std::uint64_t generation_ = next_generation();
};

template <CallContract C>
template <class F>
void Reply<C>::on_cancel(F&& function) {
  using Function = std::decay_t<F>;
  gantry_closure closure{};
  closure.user = new Function(std::forward<F>(function));
  closure.run = [](void* u) { (*static_cast<Function*>(u))(); };
  closure.drop = [](void* u) { delete static_cast<Function*>(u); };
  table_->incoming_on_cancel(call_, closure);
}

}  // namespace gantry
