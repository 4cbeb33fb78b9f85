// SPDX-License-Identifier: Apache-2.0
#include "stdio_face.hpp"

#include <unistd.h>

#include <chrono>
#include <utility>

#include "http_outlet.hpp"

namespace gantry::mcp {
namespace {

constexpr auto kLastAnswers = std::chrono::milliseconds(400);
constexpr auto kLook = std::chrono::milliseconds(10);
/// A client that writes faster than its requests are begun waits.
constexpr std::size_t kAhead = 256U << 10U;

class PipeOutlet final : public Outlet {
 public:
  PipeOutlet(LinePipe& pipe, std::function<void()> overflow)
      : pipe_(pipe), overflow_(std::move(overflow)) {}
  [[nodiscard]] bool streams() const override { return true; }
  void send(std::string message) override {
    if (!pipe_.send(std::move(message))) overflow_();
  }
  void respond(std::string message, int) override { send(std::move(message)); }
  void come_back(std::int64_t) override {}

 private:
  LinePipe& pipe_;
  std::function<void()> overflow_;
};

}  // namespace

StdioFace::StdioFace(Host& host, Core& core, std::function<void(const std::string&)> ended)
    : host_(host), core_(core), ended_(std::move(ended)) {
  const std::weak_ptr<int> life = life_;
  LinePipe::Handlers handlers;
  handlers.line = [this, life](std::string line) {
    host_.post([this, life, line = std::move(line)] {
      if (life.expired()) return;
      receive(line);
      if (!life.expired()) pipe_->taken(line.size());
    });
  };
  handlers.too_long = [this, life] {
    host_.post([this, life] {
      if (!life.expired()) refuse_long_line();
    });
  };
  handlers.ended = [this, life](const std::string& reason) {
    // In the order of the lines: what was written before the end is heard before it.
    host_.post([this, life, reason] {
      if (!life.expired()) over(reason);
    });
  };
  LinePipe::Limits limits;
  limits.line = static_cast<std::size_t>(core.settings.stdio.max_message);
  limits.queue = static_cast<std::size_t>(core.settings.stdio.send_queue);
  limits.ahead = kAhead;
  pipe_ = std::make_unique<LinePipe>(STDIN_FILENO, STDOUT_FILENO, limits, std::move(handlers));
  outlet_ = std::make_shared<PipeOutlet>(*pipe_, [this] { over("the client reads too slowly"); });
  Peer peer;
  peer.principal = "local";
  peer.session = "stdio";
  connection_ = std::make_shared<Connection>(core_, std::move(peer), outlet_);
  core_.hub.add(connection_);
}

Result<void> StdioFace::start() {
  if (!pipe_->start())
    return unavailable("no descriptors are left for standard input", "ulimit -n");
  return {};
}

void StdioFace::receive(const std::string& line) {
  if (!connection_) return;
  Parsed parsed = parse_messages(line, kMostValues);
  const Revision* revision = connection_->revision();
  if (!parsed.batch) {
    (void)connection_->handle(std::move(parsed.messages.front()), outlet_, {});
    return;
  }
  if (revision == nullptr || !revision->batches) {
    const RpcError error{
        kInvalidRequest, "this revision of MCP has no batches; send one message on a line", {}};
    outlet_->respond(write_error({}, error, revision == nullptr || !revision->id_optional), 400);
    return;
  }
  auto answers = std::make_shared<BatchAnswers>(outlet_);
  (void)hand_over_batch(*connection_, std::move(parsed.messages), answers, {});
  answers->seal();
}

void StdioFace::refuse_long_line() {
  if (!connection_) return;
  const Revision* revision = connection_->revision();
  const std::string limit = std::to_string(core_.settings.stdio.max_message);
  const RpcError error{
      kInvalidRequest,
      "the message is too long: a line has at most " + limit +
          " bytes (mcp.stdio.max_message); it was left out",
      ObjectText().add("code", code_name(Code::ResourceExhausted)).raw("limit", limit).text()};
  // Whose message it was stands in what was not read.
  outlet_->respond(write_error({}, error, revision == nullptr || !revision->id_optional), 413);
}

void StdioFace::over(const std::string& reason) {
  if (!connection_) return;
  // Nothing acts any more. What only reads may finish: a client may write and close at once.
  connection_->close_fragile();
  if (ending_ns_ == 0) ending_ns_ = core_.environment.now_ns();
  const bool waited = core_.environment.now_ns() - ending_ns_ > Duration(kLastAnswers).count();
  if (connection_->under_way() > 0 && !waited) {
    looking_ = core_.environment.after(kLook, [this, reason] { over(reason); });
    return;
  }
  looking_.reset();
  std::exchange(connection_, nullptr)->close();
  ended_(reason);
}

void StdioFace::close() {
  life_.reset();
  looking_.reset();
  if (connection_) std::exchange(connection_, nullptr)->close();
  pipe_->stop();
}

}  // namespace gantry::mcp
