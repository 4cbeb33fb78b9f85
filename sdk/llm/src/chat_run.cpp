// SPDX-License-Identifier: Apache-2.0
#include <gantry/llm/chat_run.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace gantry::llm {
namespace {

constexpr Duration kUsualRetryWait = std::chrono::milliseconds(500);
constexpr std::size_t kLargestErrorBody = 65'536;
constexpr std::size_t kMostWaitingBytes = std::size_t{64} << 20U;  // for whoever does not read

Failure trouble(Trouble kind, const Endpoint& endpoint, std::string message) {
  Failure failure{kind, std::move(message), {}};
  failure.detail.provider = endpoint.name;
  return failure;
}

}  // namespace

ChatRun::ChatRun(Host& host, const Dialect& dialect, Question question, Limits limits,
                 std::shared_ptr<Answer> answer, std::function<void()> over)
    : host_(host),
      dialect_(dialect),
      question_(std::move(question)),
      limits_(limits),
      answer_(std::move(answer)),
      over_(std::move(over)) {}

void ChatRun::start() { attempt(); }

void ChatRun::cancel() {
  answer_->cancel();
  timer_.cancel();
  if (exchange_) exchange_->abort();
}

void ChatRun::attempt() {
  if (answer_->cancelled()) return;
  ++attempts_;
  timed_out_.clear();
  exchange_ = std::make_shared<HttpExchange>(question_.endpoint.http);
  touch();
  host_.blocking([self = shared_from_this(), exchange = exchange_] {
    Trial trial = self->talk(*exchange);
    self->host_.post(
        [self, trial = std::move(trial)]() mutable { self->settle(std::move(trial)); });
  });
  watch();
}

/// Looks again when the present phase would be over its limit; time that was used well moves that.
void ChatRun::watch() {
  Duration limit = limits_.idle;
  std::string_view name = "idle";
  switch (exchange_->phase()) {
    case HttpPhase::Idle:
    case HttpPhase::Connect: limit = limits_.connect, name = "connect"; break;
    case HttpPhase::FirstByte: limit = limits_.first_byte, name = "first_byte"; break;
    default: break;
  }
  const Duration left(touched_ns_.load(std::memory_order_acquire) + limit.count() -
                      host_.monotonic_ns());
  if (left <= Duration(0)) {
    timed_out_ = name;
    exchange_->abort();
    return;
  }
  // A phase with a short limit may follow one with a long limit, so nobody sleeps through it.
  const Duration shortest = std::min({limits_.connect, limits_.first_byte, limits_.idle});
  timer_ = host_.after(std::min(left, std::max(shortest, Duration(std::chrono::milliseconds(10)))),
                       [weak = weak_from_this()] {
                         const auto self = weak.lock();
                         if (self && self->exchange_ && !self->answer_->cancelled()) self->watch();
                       });
}

void ChatRun::touch() { touched_ns_.store(host_.monotonic_ns(), std::memory_order_release); }

void ChatRun::settle(Trial trial) {
  timer_.cancel();
  exchange_.reset();
  if (answer_->cancelled()) return over_();
  if (!trial) return over_();
  if (!timed_out_.empty()) {
    trial = trouble(Trouble::Timeout, question_.endpoint,
                    question_.endpoint.name + " took too long (" + timed_out_ + ")");
    trial->detail.phase = timed_out_;
  }
  if (may_repeat(*trial)) {
    const Duration wait = wait_before(*trial);
    host_.log().info("a model is asked again", {{"provider", question_.endpoint.name},
                                                {"reason", std::string(kind_of(trial->trouble))},
                                                {"wait_ms", wait.count() / 1'000'000}});
    timer_ = host_.after(wait, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->attempt();
    });
    return;
  }
  trial->detail.attempts = attempts_;
  trial->detail.visible = answer_->visible();
  answer_->fail(trial->error());
  over_();
}

bool ChatRun::may_repeat(const Failure& failure) const {
  constexpr std::array kPassing{Trouble::RateLimit, Trouble::Overloaded, Trouble::Unreachable,
                                Trouble::Timeout, Trouble::BrokenStream};
  const bool passing =
      std::find(kPassing.begin(), kPassing.end(), failure.trouble) != kPassing.end();
  return passing && attempts_ == 1 && !answer_->visible() &&
         wait_before(failure) <= limits_.max_retry_wait;
}

Duration ChatRun::wait_before(const Failure& failure) const {
  if (!failure.detail.retry_after_ms) return kUsualRetryWait;
  return std::chrono::milliseconds(*failure.detail.retry_after_ms);
}

ChatRun::Trial ChatRun::talk(HttpExchange& exchange) {
  const Endpoint& endpoint = question_.endpoint;
  if (attempts_ > 1) answer_->restart();
  auto request = dialect_.chat_request(*question_.request, endpoint, question_.model);
  if (!request.ok()) return trouble(Trouble::BadRequest, endpoint, request.error().message);
  touch();
  const auto head = exchange.send(*request);
  touch();
  if (!head.ok()) {
    const bool address = head.error().code == Code::InvalidArgument;
    return trouble(address ? Trouble::BadRequest : Trouble::Unreachable, endpoint,
                   redact(head.error().message, endpoint));
  }
  if (head->status < 200 || head->status > 299) {
    const auto body = exchange.read_all(kLargestErrorBody);
    return http_failure(*head, body.ok() ? std::string_view(*body) : std::string_view(), endpoint,
                        host_.wall_ns());
  }
  answer_->started();
  return read_answer(exchange, *head);
}

ChatRun::Trial ChatRun::read_answer(HttpExchange& exchange, const HttpHead& head) {
  const Endpoint& endpoint = question_.endpoint;
  const auto reader = dialect_.reader(*question_.request, endpoint, *answer_);
  const SseReader::Use use = [&](const SseEvent& event) {
    if (!reader->over()) reader->event(event);
  };
  // Servers that do not stream answer with one JSON document: the same reader takes it whole.
  const bool whole = head.header("content-type").starts_with("application/json");
  std::string document;
  SseReader sse;
  char bytes[16'384];
  while (!reader->over() && !answer_->cancelled()) {
    const auto count = exchange.read(bytes, sizeof bytes);
    touch();
    if (!count.ok()) return trouble(Trouble::BrokenStream, endpoint, count.error().message);
    if (*count == 0) break;
    const std::string_view piece(bytes, *count);
    if (whole) {
      document += piece;
    } else if (!sse.feed(piece, use)) {
      return trouble(Trouble::BrokenStream, endpoint, "an event of the answer is too large");
    }
    if (document.size() > kMostWaitingBytes || answer_->waiting_bytes() > kMostWaitingBytes) {
      return trouble(Trouble::BrokenStream, endpoint, "the answer is larger than anybody takes");
    }
  }
  if (whole && !document.empty()) use({"document", document});
  sse.end(use);
  if (!reader->over()) reader->end();
  return conclude(*reader);
}

ChatRun::Trial ChatRun::conclude(const ChatReader& reader) {
  const Endpoint& endpoint = question_.endpoint;
  if (reader.failure()) {
    Failure failure = *reader.failure();
    failure.detail.provider = endpoint.name;
    return failure;
  }
  if (!reader.finished()) {
    return trouble(Trouble::BrokenStream, endpoint, "the answer ended in the middle");
  }
  const bool empty = !answer_->has_content() && reader.reason() == LlmFinishReason::Stop;
  if (empty && attempts_ == 1 && !answer_->visible()) {
    return trouble(Trouble::BrokenStream, endpoint, "the answer was empty");
  }
  answer_->finish(reader.reason(), reader.response_id());
  return std::nullopt;
}

}  // namespace gantry::llm
