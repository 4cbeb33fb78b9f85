// SPDX-License-Identifier: Apache-2.0
//
// Bus: events, calls and streams with C++ types. Thin templates over gantry.host.bus/1; every
// member may be called from any thread. Handlers run on the plugin's strand, one at a time; a
// plugin with `strands: n` must expect its handlers for different keys to run side by side. What a
// handler throws is answered as `internal` where somebody waits, and logged where nobody does.
#pragma once

#include <gantry/abi/bus.h>
#include <gantry/abi/exec.h>
#include <gantry/bus_types.hpp>
#include <gantry/contract.hpp>
#include <gantry/log.hpp>
#include <gantry/reply.hpp>
#include <gantry/result.hpp>
#include <gantry/stream.hpp>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace gantry {

namespace detail {

/// The three shapes a call handler may have.
template <class C, class F>
constexpr bool kAnswersNow = std::is_invocable_v<F&, const typename C::Request&>;
template <class C, class F>
constexpr bool kAnswersNowWithInfo =
    std::is_invocable_v<F&, const typename C::Request&, const CallInfo&>;
template <class C, class F>
constexpr bool kAnswersLater =
    std::is_invocable_v<F&, const Ref<typename C::Request>&, const CallInfo&, Reply<C>>;

}  // namespace detail

class Bus {
 public:
  Bus(gantry_host* host, const gantry_host_bus* table, const gantry_host_exec* exec,
      const Log& log = {})
      : host_(host), table_(table), exec_(exec), log_(log) {}

  // ---- events -----------------------------------------------------------------------------------

  /// Delivers to every subscriber; never blocks.
  template <EventContract C>
  void publish(typename C::Event event, PublishOptions options = {}) {
    publish_shared<C>(make_body<typename C::Event>(std::move(event)), options);
  }
  /// Passes a message on without a copy.
  template <EventContract C>
  void publish_shared(const Ref<typename C::Event>& event, PublishOptions options = {}) {
    (void)know<C>();  // a collision of names was reported by whoever subscribes or serves
    const gantry_send_options raw{sizeof raw, static_cast<std::uint32_t>(options.lane), 0,
                                  options.key};
    (void)table_->publish(host_, contract_of<C>().id, event.body(), &raw);
  }

  /// Calls `handler(const Event&)` or `handler(const Event&, const CallInfo&)` until the returned
  /// Subscription goes.
  template <EventContract C, class F>
  Result<Subscription> subscribe(F handler, SubscribeOptions options = {}) {
    GANTRY_TRY(know<C>());
    const gantry_subscribe_options raw{sizeof raw, options.max_items,
                                       static_cast<std::uint32_t>(options.overflow),
                                       options.max_bytes};
    using User = Handling<F>;
    gantry_handle id = 0;
    gantry_error error{};
    const gantry_status status =
        table_->subscribe(host_, contract_of<C>().id, &raw, &handle_event<C, F>,
                          new User{std::move(handler), table_, log_}, &drop<User>, &id, &error);
    if (status != GANTRY_OK) return adopt_error(status, error);
    return Subscription(host_, table_, id);
  }

  // ---- calls ------------------------------------------------------------------------------------

  /// Serves a call. `handler` is one of
  ///   Result<Response>(const Request&)                          answers at once
  ///   Result<Response>(const Request&, const CallInfo&)
  ///   void(const Ref<Request>&, const CallInfo&, Reply<C>)      answers when it likes
  template <CallContract C, class F>
  Result<void> serve(F handler) {
    GANTRY_TRY(know<C>());
    using User = Handling<F>;
    gantry_error error{};
    const gantry_status status =
        table_->serve(host_, contract_of<C>().id, &handle_call<C, F>,
                      new User{std::move(handler), table_, log_}, &drop<User>, &error);
    if (status != GANTRY_OK) return adopt_error(status, error);
    return {};
  }

  /// Calls and later runs `done(Result<Ref<Response>>)` on this plugin's strand (or, with
  /// options.complete_inline, on the thread that completes the call), exactly once.
  /// (When the host has already ended this plugin, `done` runs at once, on the calling thread.)
  template <CallContract C, class F>
  CallHandle call(typename C::Request request, F done, const CallOptions& options = {}) {
    return start_call<C>(make_body<typename C::Request>(std::move(request)), std::move(done),
                         options);
  }
  /// Passes a request on without a copy.
  template <CallContract C, class F>
  CallHandle call_shared(const Ref<typename C::Request>& request, F done,
                         const CallOptions& options = {}) {
    return start_call<C>(request, std::move(done), options);
  }

  /// Calls and waits. Only where waiting is allowed: inside Host::blocking, on a dedicated strand,
  /// or on a thread of the plugin's own; elsewhere it is FailedPrecondition.
  template <CallContract C>
  Result<Ref<typename C::Response>> call_wait(typename C::Request request,
                                              const CallOptions& options = {}) {
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
    CallOptions inline_options = options;  // the strand of who waits here may be this very thread
    inline_options.complete_inline = true;
    start_call<C>(
        make_body<typename C::Request>(std::move(request)),
        [waiting](Result<Ref<typename C::Response>> result) {
          const std::lock_guard lock(waiting->mutex);
          waiting->result.emplace(std::move(result));
          waiting->arrived.notify_one();
        },
        inline_options);
    std::unique_lock lock(waiting->mutex);
    waiting->arrived.wait(lock, [&] { return waiting->result.has_value(); });
    return std::move(*waiting->result);
  }

  /// Calls any contract by name with JSON; `done(Result<std::string>)` gets the JSON answer.
  template <class F>
  CallHandle call_json(std::string_view contract, std::string_view request, F done,
                       const CallOptions& options = {}) {
    using User = Handling<F>;
    auto* user = new User{std::move(done), table_, log_};
    const gantry_call_options raw = raw_options(options);
    gantry_handle id = 0;
    const gantry_status status = table_->call_json(host_, to_str(contract), to_str(request), &raw,
                                                   &complete_json<F>, user, &id);
    if (status == GANTRY_OK) return {host_, table_, id};
    const std::unique_ptr<User> pending(user);
    detail::run_guarded(log_, contract,
                        [&] { pending->function(Result<std::string>(refused(status, contract))); });
    return {};
  }

  // ---- streams ----------------------------------------------------------------------------------

  /// Accepts streams. `accept(const Ref<Opening>&, const CallInfo&, Stream<Down>)` returns the
  /// handlers of the new stream, or an Error that closes it.
  template <StreamContract C, class F>
  Result<void> serve_stream(F accept, StreamOptions options = {}) {
    GANTRY_TRY(know<C>());
    using User = Accepting<F>;
    gantry_error error{};
    const gantry_status status = table_->serve_stream(
        host_, contract_of<C>().id, &accept_stream<C, F>,
        new User{std::move(accept), table_, log_, std::move(options)}, &drop<User>, &error);
    if (status != GANTRY_OK) return adopt_error(status, error);
    return {};
  }

  /// Opens a stream; a missing provider shows in handlers.on_end as Unavailable. The handlers may
  /// run on the strand before this returns on another thread.
  template <StreamContract C>
  Result<Stream<typename C::Up>> open_stream(typename C::Opening opening,
                                             StreamHandlers<typename C::Down> handlers,
                                             const StreamOptions& options = {}) {
    GANTRY_TRY(know<C>());
    using Down = typename C::Down;
    const auto body = make_body<typename C::Opening>(std::move(opening));
    const gantry_stream_options raw = raw_options(options);
    auto* side = new detail::StreamSide<Down>(std::move(handlers), table_, log_);
    gantry_stream* stream = nullptr;
    gantry_error error{};
    // `side` may be dropped before this returns, so it cannot be told its stream here; a chunk that
    // it cannot read ends its handlers, and the plugin's dropping of the Stream then closes it.
    const gantry_status status =
        table_->open_stream(host_, contract_of<C>().id, body.body(), &raw,
                            &detail::stream_events<Down>(), side, &stream, &error);
    if (status != GANTRY_OK) return adopt_error(status, error);
    return Stream<typename C::Up>(table_, stream);
  }

  /// How well this plugin suits the machine, 0 to 100, with the reason in plain words.
  void set_suitability(int score, std::string_view reason) {
    table_->set_suitability(host_, score, to_str(reason));
  }

 private:
  /// The `user` behind every callback: the plugin's function and what is needed to answer.
  template <class F>
  struct Handling {
    F function;
    const gantry_host_bus* table;
    Log log;
  };
  template <class F>
  struct Accepting {
    F function;
    const gantry_host_bus* table;
    Log log;
    StreamOptions options;
  };
  template <class User>
  static void drop(void* user) {
    delete static_cast<User*>(user);
  }

  /// Numbers the Bus objects of this library: a restarted plugin may get a host at an old address.
  static std::uint64_t next_generation() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }

  /// Registers the contract with the host, once per thread and Bus; repeating it is harmless. Fails
  /// when the name is taken by another kind, or its id by another name.
  template <class C>
  Result<void> know() {
    static thread_local std::uint64_t known_to = 0;
    if (known_to == generation_) return {};
    gantry_error error{};
    const gantry_status status = table_->register_contract(host_, &contract_of<C>(), &error);
    if (status != GANTRY_OK) return adopt_error(status, error);
    known_to = generation_;
    return {};
  }

  static Error refused(gantry_status status, std::string_view contract) {
    return {failure_code(status), "the bus refused the call of " + std::string(contract), {}};
  }

  static gantry_call_options raw_options(const CallOptions& options) {
    return {sizeof(gantry_call_options),
            static_cast<std::uint32_t>(options.lane),
            options.complete_inline ? std::uint32_t{GANTRY_CALL_COMPLETE_INLINE} : 0U,
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
  CallHandle start_call(const Ref<typename C::Request>& request, F done,
                        const CallOptions& options) {
    (void)know<C>();  // if it failed, the call itself is refused
    using User = Handling<F>;
    auto* user = new User{std::move(done), table_, log_};
    const gantry_call_options raw = raw_options(options);
    gantry_handle id = 0;
    const gantry_status status = table_->call(host_, contract_of<C>().id, request.body(), &raw,
                                              &complete_call<C, F>, user, &id);
    if (status == GANTRY_OK) return {host_, table_, id};
    const std::unique_ptr<User> pending(user);
    detail::run_guarded(log_, C::kName, [&] {
      pending->function(Result<Ref<typename C::Response>>(refused(status, C::kName)));
    });
    return {};
  }

  template <CallContract C, class F>
  static void complete_call(void* user, gantry_status status, const gantry_body* response,
                            const gantry_error* error) {
    using Answer = Result<Ref<typename C::Response>>;
    const std::unique_ptr<Handling<F>> pending(static_cast<Handling<F>*>(user));
    detail::run_guarded(pending->log, C::kName, [&] {
      if (status != GANTRY_OK) {
        pending->function(Answer(share_error(status, error)));
        return;
      }
      Answer answer = read_body<typename C::Response>(response);
      if (!answer.ok()) {
        // Not the caller's fault, whatever the decoder calls it.
        answer = internal_error("the answer to " + std::string(C::kName) +
                                " could not be read: " + answer.error().message);
      }
      pending->function(std::move(answer));
    });
  }

  template <class F>
  static void complete_json(void* user, gantry_status status, const gantry_body* response,
                            const gantry_error* error) {
    using Answer = Result<std::string>;
    const std::unique_ptr<Handling<F>> pending(static_cast<Handling<F>*>(user));
    detail::run_guarded(pending->log, "call_json", [&] {
      if (status != GANTRY_OK) {
        pending->function(Answer(share_error(status, error)));
        return;
      }
      gantry_buf out{};
      if (pending->table->body_to_json(response, &out) != GANTRY_OK) {
        pending->function(Answer(internal_error("the answer has no JSON form")));
        return;
      }
      pending->function(Answer(std::string(Buffer::adopt(out).text())));
    });
  }

  template <EventContract C, class F>
  static void handle_event(void* user, const gantry_body* body, const gantry_envelope* envelope) {
    auto& mine = *static_cast<Handling<F>*>(user);
    detail::run_guarded(mine.log, C::kName, [&] {
      auto event = read_body<typename C::Event>(body);
      if (!event.ok()) {
        mine.log.error("an event could not be read", {{"contract", C::kName},
                                                      {"sender", view(envelope->sender)},
                                                      {"reason", event.error().message}});
        return;
      }
      if constexpr (std::is_invocable_v<F&, const typename C::Event&, const CallInfo&>) {
        mine.function(**event, CallInfo(*envelope));
      } else {
        mine.function(**event);
      }
    });
  }

  template <CallContract C, class F>
  static void handle_call(void* user, gantry_incoming* call, const gantry_body* body,
                          const gantry_envelope* envelope) {
    auto& mine = *static_cast<Handling<F>*>(user);
    Reply<C> reply(mine.table, call, mine.log);
    const bool returned = detail::run_guarded(mine.log, C::kName, [&] {
      auto request = read_body<typename C::Request>(body);
      if (!request.ok()) return reply.fail(request.error());
      if constexpr (detail::kAnswersLater<C, F>) {
        mine.function(*request, CallInfo(*envelope), std::move(reply));
      } else if constexpr (detail::kAnswersNowWithInfo<C, F>) {
        reply(mine.function(**request, CallInfo(*envelope)));
      } else {
        static_assert(detail::kAnswersNow<C, F>, "not a handler for this contract");
        reply(mine.function(**request));
      }
    });
    // A handler that had taken the reply has answered by dropping it.
    if (!returned && reply.open()) {
      reply.fail(internal_error("the handler of " + std::string(C::kName) +
                                " threw; the log has the exception"));
    }
  }

  template <StreamContract C, class F>
  static void accept_stream(void* user, gantry_stream* stream, const gantry_body* body,
                            const gantry_envelope* envelope) {
    using Up = typename C::Up;
    auto& mine = *static_cast<Accepting<F>*>(user);
    mine.table->stream_retain(stream);  // one reference for us, one for the plugin's Stream
    Stream<typename C::Down> down(mine.table, stream);
    Result<StreamHandlers<Up>> handlers = internal_error("the handler of " + std::string(C::kName) +
                                                         " threw; the log has the exception");
    detail::run_guarded(mine.log, C::kName, [&] {
      auto opening = read_body<typename C::Opening>(body);
      handlers = opening.ok() ? mine.function(*opening, CallInfo(*envelope), down)
                              : Result<StreamHandlers<Up>>(opening.error());
    });
    if (handlers.ok()) {
      const gantry_stream_options raw = raw_options(mine.options);
      auto* side = new detail::StreamSide<Up>(std::move(*handlers), mine.table, mine.log);
      side->stream.store(stream, std::memory_order_release);
      // FailedPrecondition: the other side is gone already, and `side` was dropped.
      (void)mine.table->stream_accept(stream, &raw, &detail::stream_events<Up>(), side);
    } else {
      down.close(handlers.error());
    }
    mine.table->stream_release(stream);
  }

  gantry_host* host_;
  const gantry_host_bus* table_;
  const gantry_host_exec* exec_;
  Log log_;
  std::uint64_t generation_ = next_generation();
};

}  // namespace gantry
