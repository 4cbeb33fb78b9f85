// SPDX-License-Identifier: Apache-2.0
//
// Stream: one side of an open stream, and what that side does with what arrives. Stream's members
// may be called from any thread; the handlers run on the plugin's strand.
#pragma once

#include <gantry/abi/bus.h>
#include <gantry/contract.hpp>
#include <gantry/log.hpp>
#include <gantry/result.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

namespace gantry {

/// The sending half of one side, for `Out` chunks. Shared between copies; the stream stays open
/// until close() or until the last copy goes (then it closes as cancelled).
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
    if (!side_) return failed_precondition("this Stream was never opened");
    const gantry_status status = side_->table->stream_send(side_->stream, chunk.body());
    if (status == GANTRY_OK) return {};
    return Error{failure_code(status),
                 status == GANTRY_RESOURCE_EXHAUSTED
                     ? "the receiver has no room for more chunks yet; wait for on_writable"
                     : "the stream has ended",
                 {}};
  }
  /// Lets the other side send `chunks` more (only with manual_credit).
  void grant(std::uint32_t chunks) {
    if (side_) side_->table->stream_grant(side_->stream, chunks);
  }
  /// Ends the stream after what was sent before. Again, or after the other side did: no effect.
  void close() {
    if (side_) side_->table->stream_close(side_->stream, GANTRY_OK, nullptr);
  }
  void close(const Error& error) {
    if (!side_) return;
    const BorrowedError raw(error);
    side_->table->stream_close(side_->stream, raw.code(), raw.get());
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

/// Handlers as one object. It takes less memory than three functions with what they capture, which
/// counts where ten thousand streams are open.
template <class In>
class StreamReceiver {
 public:
  virtual ~StreamReceiver() = default;
  virtual void on_chunk(const Ref<In>& chunk) = 0;
  virtual void on_room() {}  // on_writable
  virtual void on_end(const Error& end) = 0;
};

/// What one side does with a stream that receives `In` chunks. All run on the plugin's strand. A
/// chunk that cannot be read, or a handler that throws, ends the stream: on_end gets the error, and
/// nothing comes after it.
template <class In>
struct StreamHandlers {
  std::function<void(const Ref<In>&)> on_chunk;
  std::function<void()> on_writable;
  std::function<void(const Error&)> on_end;  // Code::Ok when the other side closed normally
  // Instead of the functions; it is kept until the stream has ended.
  std::shared_ptr<StreamReceiver<In>> receiver{};
};

namespace detail {

template <class In>
class FunctionReceiver final : public StreamReceiver<In> {
 public:
  explicit FunctionReceiver(StreamHandlers<In> handlers) : handlers_(std::move(handlers)) {}

  void on_chunk(const Ref<In>& chunk) override {
    if (handlers_.on_chunk) handlers_.on_chunk(chunk);
  }
  void on_room() override {
    if (handlers_.on_writable) handlers_.on_writable();
  }
  void on_end(const Error& end) override {
    if (handlers_.on_end) handlers_.on_end(end);
  }

 private:
  StreamHandlers<In> handlers_;
};

/// The `user` of one side's callbacks. `stream` is filled once the side has it; it is only used
/// inside a callback, while the host keeps the stream alive.
template <class In>
struct StreamSide {
  std::shared_ptr<StreamReceiver<In>> receiver;
  const gantry_host_bus* table;
  Log log;
  std::atomic<gantry_stream*> stream{nullptr};
  bool ended = false;  // strand only

  StreamSide(StreamHandlers<In> handlers, const gantry_host_bus* t, const Log& l)
      : receiver(std::move(handlers.receiver)), table(t), log(l) {
    if (!receiver) receiver = std::make_shared<FunctionReceiver<In>>(std::move(handlers));
  }

  void chunk(const gantry_body* body) {
    if (ended) return;
    auto message = read_body<In>(body);
    if (!message.ok()) {
      abort(message.error().with_context("a chunk could not be read"));
    } else {
      receiver->on_chunk(*message);
    }
  }
  void end(const Error& error) {
    if (std::exchange(ended, true)) return;
    receiver->on_end(error);
  }
  /// The stream is of no use any more: tells both sides.
  void abort(const Error& error) {
    if (gantry_stream* open = stream.load(std::memory_order_acquire); open != nullptr) {
      const BorrowedError raw(error);
      table->stream_close(open, raw.code(), raw.get());
    }
    end(error);
  }
};

template <class In>
const gantry_stream_events& stream_events() {
  using Side = StreamSide<In>;
  static const gantry_stream_events table = [] {
    gantry_stream_events t{};
    t.size = sizeof t;
    t.on_chunk = [](void* user, const gantry_body* chunk) {
      auto& side = *static_cast<Side*>(user);
      if (run_guarded(side.log, "on_chunk", [&] { side.chunk(chunk); })) return;
      run_guarded(side.log, "on_end", [&] {
        side.abort(internal_error("the handler of a chunk threw; the log has the exception"));
      });
    };
    t.on_writable = [](void* user) {
      auto& side = *static_cast<Side*>(user);
      if (side.ended) return;
      run_guarded(side.log, "on_writable", [&] { side.receiver->on_room(); });
    };
    t.on_end = [](void* user, gantry_status status, const gantry_error* error) {
      auto& side = *static_cast<Side*>(user);
      run_guarded(side.log, "on_end", [&] { side.end(share_error(status, error)); });
    };
    t.drop = [](void* user) { delete static_cast<Side*>(user); };
    return t;
  }();
  return table;
}

}  // namespace detail
}  // namespace gantry
