// SPDX-License-Identifier: Apache-2.0
//
// ChatRun: one chat with a provider over HTTP, from the request to the end of its answer, with one
// more try before anything was seen. start(), cancel() and what the timers do run on the plugin's
// strand; the talking happens on a thread of the blocking pool.
#pragma once

#include <gantry/host.hpp>
#include <gantry/http/watch.hpp>
#include <gantry/llm/answer.hpp>
#include <gantry/llm/dialect.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

namespace gantry::llm {

struct Limits {
  Duration connect{std::chrono::seconds(10)};
  Duration first_byte{std::chrono::minutes(5)};  // reasoning models think before they speak
  Duration idle{std::chrono::minutes(2)};        // between two pieces; keep-alives count
  Duration max_retry_wait{std::chrono::seconds(10)};
  std::size_t answer = std::size_t{512}
                       << 20U;                  // bytes as they come, most of them around its words
  std::size_t words = std::size_t{4} << 20U;    // Answer::written_bytes()
  std::size_t images = std::size_t{64} << 20U;  // Answer::image_bytes()
};

class ChatRun : public std::enable_shared_from_this<ChatRun> {
 public:
  struct Question {
    Ref<LlmChatRequest> request;
    Endpoint endpoint;
    LlmModel model;
  };

  ChatRun(Host& host, const Dialect& dialect, Question question, Limits limits,
          std::shared_ptr<Answer> answer, std::function<void()> over);

  void start();
  /// The plugin stops: the connection ends at once.
  void cancel();
  /// Whoever asked has gone. The same, unless all of the answer is known: then its connection may
  /// still be read to the end and be kept.
  void leave();

 private:
  /// How one request went; nothing: well, and the answer is finished.
  using Trial = std::optional<Failure>;

  void attempt();
  void settle(Trial trial);
  [[nodiscard]] bool may_repeat(const Failure& failure) const;
  [[nodiscard]] Duration wait_before(const Failure& failure) const;

  // On the blocking thread.
  Trial talk(HttpExchange& exchange);
  Trial read_answer(HttpExchange& exchange, const HttpHead& head);
  [[nodiscard]] bool too_large(std::size_t taken) const;
  Trial conclude(const ChatReader& reader);

  Host& host_;
  const Dialect& dialect_;
  Question question_;
  Limits limits_;
  std::shared_ptr<Answer> answer_;
  std::function<void()> over_;
  std::shared_ptr<HttpExchange> exchange_;
  std::shared_ptr<http::PhaseWatch> watch_;  // its time limits
  Timer timer_;
  int attempts_ = 0;
  std::atomic<bool> told_{false};  // that the answer is finished, or about to be
};

}  // namespace gantry::llm
