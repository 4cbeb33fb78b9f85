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

constexpr const char* kTooLarge = "the answer is larger than anybody takes";

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
  if (watch_) watch_->end();
  if (exchange_) exchange_->abort();
}

void ChatRun::leave() {
  if (!told_.load(std::memory_order_acquire)) cancel();
}

void ChatRun::attempt() {
  if (answer_->cancelled()) return;
  ++attempts_;
  http::HttpOptions options = question_.endpoint.http;
  if (attempts_ > 1) options.pool = nullptr;  // all that were kept may have died the same way
  exchange_ = std::make_shared<HttpExchange>(std::move(options));
  watch_ = std::make_shared<http::PhaseWatch>(
      host_, exchange_, http::PhaseLimits{limits_.connect, limits_.first_byte, limits_.idle});
  host_.blocking([self = shared_from_this(), exchange = exchange_] {
    Trial trial = self->talk(*exchange);
    self->host_.post(
        [self, trial = std::move(trial)]() mutable { self->settle(std::move(trial)); });
  });
  watch_->begin();
}

void ChatRun::settle(Trial trial) {
  watch_->end();
  exchange_.reset();
  if (answer_->cancelled()) return over_();
  if (!trial) return over_();
  if (const std::string& late = watch_->late(); !late.empty()) {
    trial = trouble(Trouble::Timeout, question_.endpoint,
                    question_.endpoint.name + " took too long (" + late + ")");
    trial->detail.phase = late;
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
  trial->message = named(question_.endpoint, trial->message);
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
  watch_->touch();
  const auto head = exchange.send(*request);
  watch_->touch();
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
  Trial trial = read_answer(exchange, *head);
  // Some proxies call every answer a web page; only one without an answer in it is taken for one.
  if (trial && is_web_page(*head) && !answer_->visible()) {
    return http_failure(*head, {}, endpoint, host_.wall_ns());
  }
  // Before its end is told, for what that leads to may ask again.
  if (!trial && !answer_->cancelled()) exchange.keep_if_read();
  answer_->release();
  if (!trial && !answer_->cancelled()) exchange.keep();
  return trial;
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
  std::string broken;  // why nothing more comes
  SseReader sse;
  std::size_t taken = 0;
  char bytes[16'384];
  while (!reader->over() && !answer_->cancelled()) {
    const auto count = exchange.read(bytes, sizeof bytes);
    watch_->touch();
    if (!count.ok()) {
      broken = count.error().message;
      break;
    }
    if (*count == 0) break;
    const std::string_view piece(bytes, *count);
    answer_->hold();
    if (whole) {
      document += piece;
    } else if (!sse.feed(piece, use)) {
      return trouble(Trouble::BrokenStream, endpoint, "an event of the answer is too large");
    }
    taken += piece.size();
    if (document.size() > kMostWaitingBytes || too_large(taken)) {
      return trouble(Trouble::BrokenStream, endpoint, kTooLarge);
    }
    if (!reader->over()) answer_->release();  // else its end goes with its last pieces
  }
  if (whole && broken.empty() && !document.empty()) use({"document", document});
  sse.end(use);
  if (!reader->over()) reader->end();
  // A server that hangs up after its last words has said all.
  if (!broken.empty() && !reader->over()) return trouble(Trouble::BrokenStream, endpoint, broken);
  return conclude(*reader);
}

bool ChatRun::too_large(std::size_t taken) const {
  return taken > limits_.answer || answer_->written_bytes() > limits_.words ||
         answer_->image_bytes() > limits_.images || answer_->waiting_bytes() > kMostWaitingBytes;
}

ChatRun::Trial ChatRun::conclude(const ChatReader& reader) {
  const Endpoint& endpoint = question_.endpoint;
  if (too_large(0)) return trouble(Trouble::BrokenStream, endpoint, kTooLarge);
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
  told_.store(true, std::memory_order_release);  // before: who hears of it may leave at once
  answer_->finish(reader.reason(), reader.response_id());
  return std::nullopt;
}

}  // namespace gantry::llm
