// SPDX-License-Identifier: Apache-2.0
#include "http_bridge.hpp"

#include <gantry/contracts/http.hpp>

#include <mutex>
#include <utility>

#include "bus_convert.hpp"
#include "held_grants.hpp"

namespace gantry::transport {
namespace {

/// One call under way; cancelled when its client goes.
class PendingCall final : public ExchangeSink {
 public:
  void on_gone() override { handle.cancel(); }  // the loop thread, like the call that filled it
  CallHandle handle;
};

class CallBridge final : public MountHandler {
 public:
  CallBridge(Host& host, BridgeOptions options) : host_(host), options_(std::move(options)) {}

  void on_request(ExchangePtr exchange) override {
    auto pending = std::make_shared<PendingCall>();
    exchange->set_sink(pending);
    CallOptions call;
    call.target = options_.target;
    call.timeout = options_.timeout;
    call.key = exchange->request()->connection;
    call.complete_inline = true;  // respond() only compresses and posts: no hop to our strand
    auto request = to_bus(exchange->request(), options_.route);
    pending->handle = host_.bus().call<HttpHandle>(
        std::move(request),
        [exchange = std::move(exchange)](Result<Ref<HttpResponse>> result) {
          exchange->respond(result.ok() ? from_bus(**result) : response_of(result.error()));
        },
        call);
  }

 private:
  Host& host_;
  BridgeOptions options_;
};

/// One streamed answer. The stream's handlers run on our strand, the sink's calls on the loop.
class StreamedAnswer final : public ExchangeSink,
                             public std::enable_shared_from_this<StreamedAnswer> {
 public:
  StreamedAnswer(ExchangePtr exchange, size_t queue_limit)
      : exchange_(std::move(exchange)), queue_limit_(queue_limit) {}

  void open(Host& host, const BridgeOptions& options) {
    ExchangePtr exchange = exchange_;
    exchange->set_sink(shared_from_this());
    exchange->set_bound(SendBound::kSender);
    StreamOptions stream;
    stream.target = options.target;
    stream.key = exchange->request()->connection;
    stream.manual_credit = true;
    auto self = shared_from_this();
    StreamHandlers<HttpPart> handlers;
    handlers.on_chunk = [self](const Ref<HttpPart>& part) { self->on_part(*part); };
    handlers.on_end = [self](const Error& end) { self->on_end(end); };
    auto opened = host.bus().open_stream<HttpExchange>(to_bus(exchange->request(), options.route),
                                                       std::move(handlers), stream);
    if (!opened.ok()) {
      exchange->respond(response_of(opened.error()));
      release();
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      if (exchange_) stream_ = *opened;  // else it ended while it was being opened
    }
    grant_held();
  }

  void on_writable() override { grant_held(); }

  void on_gone() override {
    auto stream = release();
    stream.close(Error{Code::Cancelled, "the client has gone", {}});
  }

 private:
  void on_part(const HttpPart& part) {
    const ExchangePtr exchange = current();
    if (!exchange) return;
    if (part.head && !std::exchange(started_, true)) {
      Response response = from_bus(*part.head);
      exchange->start(std::move(response.head));
      if (!response.body.empty()) exchange->write(response.body);
    }
    if (!started_) {
      exchange->respond(error_response(502, "the plugin sent data before the head of its answer"));
      on_gone();
      return;
    }
    if (!part.data.empty()) exchange->write(to_bytes(part.data));
    {
      const std::lock_guard lock(mutex_);
      ++held_grants_;
    }
    // With half of the queue taken the plugin waits until the peer has read.
    if (exchange->queued_bytes() < queue_limit_ / 2) grant_held();
  }

  void on_end(const Error& end) {
    const ExchangePtr exchange = current();
    if (exchange && !started_) {
      exchange->respond(end.code == Code::Ok ? error_response(502, "the plugin sent no answer")
                                             : response_of(end));
    } else if (exchange && end.code == Code::Ok) {
      exchange->finish();
    }
    release();  // an error after the head: dropping the exchange cuts the connection
  }

  ExchangePtr current() {
    const std::lock_guard lock(mutex_);
    return exchange_;
  }
  Stream<Nothing> release() {
    ExchangePtr exchange;
    const std::lock_guard lock(mutex_);
    exchange.swap(exchange_);
    return std::exchange(stream_, {});
  }
  void grant_held() { transport::grant_held(mutex_, stream_, held_grants_); }

  std::mutex mutex_;
  ExchangePtr exchange_;
  Stream<Nothing> stream_;
  uint32_t held_grants_ = 0;
  const size_t queue_limit_;
  bool started_ = false;  // strand only
};

class ExchangeBridge final : public MountHandler {
 public:
  ExchangeBridge(Host& host, BridgeOptions options) : host_(host), options_(std::move(options)) {}

  void on_request(ExchangePtr exchange) override {
    std::make_shared<StreamedAnswer>(std::move(exchange), options_.queue_limit)
        ->open(host_, options_);
  }

 private:
  Host& host_;
  BridgeOptions options_;
};

}  // namespace

std::shared_ptr<MountHandler> make_call_bridge(Host& host, BridgeOptions options) {
  return std::make_shared<CallBridge>(host, std::move(options));
}

std::shared_ptr<MountHandler> make_exchange_bridge(Host& host, BridgeOptions options) {
  return std::make_shared<ExchangeBridge>(host, std::move(options));
}

}  // namespace gantry::transport
