// SPDX-License-Identifier: Apache-2.0
#include "exchange.hpp"

#include "response_head.hpp"

namespace gantry::transport {
namespace {

class ExchangeHandle final : public Exchange {
 public:
  ExchangeHandle(std::shared_ptr<ExchangeState> state, ExchangeOptions options)
      : state_(std::move(state)), options_(std::move(options)) {}

  ~ExchangeHandle() override {
    if (!state_->finished && !state_->gone) post(CommandKind::kAbandon, nullptr);
  }

  const RequestPtr& request() const override { return state_->request; }

  void set_sink(std::shared_ptr<ExchangeSink> sink) override { state_->sink = std::move(sink); }

  void set_bound(SendBound bound) override { state_->unbounded = bound == SendBound::kSender; }

  bool respond(Response response) override {
    if (state_->answered.exchange(true)) return false;
    state_->finished = true;
    gzip_if_wanted(state_->request->head, response, options_.gzip_min_bytes);
    auto data = std::make_unique<CommandData>();
    data->response = std::move(response);
    post(CommandKind::kRespond, std::move(data));
    return true;
  }

  bool start(ResponseHead head, int64_t content_length) override {
    if (state_->answered.exchange(true)) return false;
    auto data = std::make_unique<CommandData>();
    data->response.head = std::move(head);
    post(CommandKind::kStart, std::move(data), content_length);
    return true;
  }

  SendResult write(Bytes chunk) override {
    if (state_->gone || state_->finished || !state_->answered) return SendResult::kDropped;
    if (chunk.empty()) return SendResult::kSent;
    const size_t before = state_->queued.fetch_add(chunk.size());
    const bool over = before > 0 && before + chunk.size() > options_.queue_limit;
    if (over && !state_->unbounded) {
      state_->gone = true;
      post(CommandKind::kOverflow, nullptr);
      return SendResult::kDropped;
    }
    auto data = std::make_unique<CommandData>();
    data->bytes = std::move(chunk);
    state_->wants_writable = true;
    post(CommandKind::kWrite, std::move(data));
    return SendResult::kQueued;
  }

  void finish() override {
    if (!state_->answered || state_->finished.exchange(true)) return;
    post(CommandKind::kFinish, nullptr);
  }

  size_t queued_bytes() const override { return state_->queued; }

 private:
  void post(CommandKind kind, std::unique_ptr<CommandData> data, int64_t number = 0) {
    Command command;
    command.kind = kind;
    command.channel = options_.channel;
    command.serial = options_.serial;
    command.number = number;
    command.data = std::move(data);
    options_.mailbox->post(std::move(command));
  }

  std::shared_ptr<ExchangeState> state_;
  ExchangeOptions options_;
};

}  // namespace

// A handler serves one kind of mount; the other kind is answered by the handles' destructors.
void MountHandler::on_request(ExchangePtr) {}
void MountHandler::on_websocket(WsSocketPtr) {}

ExchangePtr make_exchange(std::shared_ptr<ExchangeState> state, ExchangeOptions options) {
  return std::make_shared<ExchangeHandle>(std::move(state), std::move(options));
}

}  // namespace gantry::transport
