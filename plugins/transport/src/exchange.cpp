// SPDX-License-Identifier: Apache-2.0
#include "exchange.hpp"

#include "response_head.hpp"
#include "server_core.hpp"

namespace gantry::transport {
namespace {

/// A larger answer does not fit into the socket at once, and encrypting it takes a while.
constexpr size_t kMostWrittenHere = 64 * 1024;

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
    if (write_here(response)) return true;
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
  /// Writes the answer on the calling thread, which saves waking the loop: the connection stays
  /// open, so the loop only has to know of it before it reads the next request. False: it has to
  /// write it.
  bool write_here(Response& response) {
    if (state_->by_loop || response.head.close) return false;
    if (response.body.size() > kMostWrittenHere) return false;
    const RequestHead& asked = state_->request->head;
    let_read(response.head.headers, options_.reading_origin);
    HeadFraming framing = framing_of(response.head.status, response.body.size());
    framing.minor_version = asked.minor_version;
    const bool bodiless = framing.framing == Framing::kNone || asked.method == "HEAD";
    options_.counters->count_response(response.head.status);
    const SendResult sent =
        options_.writer->send(Bytes(serialize_head(response.head, framing, http_date())),
                              bodiless ? Bytes() : response.body, false);
    options_.mailbox->leave(command_of(CommandKind::kAnswered));
    if (sent != SendResult::kSent || state_->input_waits) options_.mailbox->wake();
    return true;
  }

  Command command_of(CommandKind kind) const {
    Command command;
    command.kind = kind;
    command.channel = options_.channel;
    command.serial = options_.serial;
    return command;
  }

  void post(CommandKind kind, std::unique_ptr<CommandData> data, int64_t number = 0) {
    Command command = command_of(kind);
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
