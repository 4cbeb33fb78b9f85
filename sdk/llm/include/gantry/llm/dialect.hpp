// SPDX-License-Identifier: Apache-2.0
//
// What differs between providers: how a question is written, how the answer is read, how models are
// listed. One Dialect for each plugin, without state of its own; every member may be called from
// any thread. A ChatReader belongs to one answer and its thread.
#pragma once

#include <gantry/contracts/llm.hpp>
#include <gantry/http/client.hpp>
#include <gantry/http/sse.hpp>
#include <gantry/llm/answer.hpp>
#include <gantry/llm/errors.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry::llm {

// A dialect speaks of them in every second line.
using http::HttpExchange;
using http::HttpHead;
using http::HttpOptions;
using http::HttpPhase;
using http::HttpRequest;
using http::SseEvent;
using http::SseReader;

/// Where a provider is and what it needs to know of us.
struct Endpoint {
  std::string name;      // LlmModel::provider
  std::string base_url;  // without a slash at the end
  std::string api;       // chat, responses; of OpenAI's kind only
  LlmSecret api_key;
  bool requires_key = true;
  std::string key_hint;  // where a key would come from, for the cure
  HttpOptions http;
  std::int64_t default_max_output_tokens = 0;  // where the provider insists on a number

  [[nodiscard]] bool usable() const { return !requires_key || !api_key.empty(); }
};

/// Reads the events of one answer and tells the Answer.
class ChatReader {
 public:
  ChatReader(Answer& answer, const Endpoint& endpoint) : answer_(answer), endpoint_(endpoint) {}
  virtual ~ChatReader() = default;
  ChatReader(const ChatReader&) = delete;
  ChatReader& operator=(const ChatReader&) = delete;

  virtual void event(const SseEvent& event) = 0;
  /// The body has ended; what was open is closed if that is honest.
  virtual void end() {}

  [[nodiscard]] bool over() const { return finished_ || failure_; }
  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }
  [[nodiscard]] LlmFinishReason reason() const { return reason_; }
  [[nodiscard]] const std::string& response_id() const { return response_id_; }

 protected:
  void finish(LlmFinishReason reason) {
    if (over()) return;
    reason_ = reason;
    finished_ = true;
  }
  void fail(Failure failure) {
    if (!over()) failure_ = std::move(failure);
  }
  void fail(Trouble trouble, std::string message) {
    fail(Failure{trouble, std::move(message), {}});
  }
  /// For each tool call that begins; false when there are more than anybody does, and that ends the
  /// answer.
  [[nodiscard]] bool room_for_call() {
    constexpr int kMostCalls = 256;  // an engine takes 50 of a turn
    if (++calls_begun_ <= kMostCalls) return true;
    fail(Trouble::BrokenStream, "the answer has more tool calls than anybody does");
    return false;
  }

  Answer& answer_;
  const Endpoint& endpoint_;
  std::string response_id_;

 private:
  LlmFinishReason reason_ = LlmFinishReason::Stop;
  int calls_begun_ = 0;
  bool finished_ = false;
  std::optional<Failure> failure_;
};

class Dialect {
 public:
  virtual ~Dialect() = default;

  [[nodiscard]] virtual Result<HttpRequest> chat_request(const LlmChatRequest& request,
                                                         const Endpoint& endpoint,
                                                         const LlmModel& model) const = 0;
  [[nodiscard]] virtual std::unique_ptr<ChatReader> reader(const LlmChatRequest& request,
                                                           const Endpoint& endpoint,
                                                           Answer& answer) const = 0;

  /// What is known of a model by its name alone: family, capabilities, window, prices.
  virtual void describe(LlmModel& model, const Endpoint& endpoint) const = 0;
  /// Models that are listed before the provider has been asked.
  [[nodiscard]] virtual std::vector<std::string> well_known(const Endpoint& endpoint) const = 0;
  [[nodiscard]] virtual HttpRequest models_request(const Endpoint& endpoint,
                                                   const std::string& page) const = 0;
  /// Models of one page; `next` is the next page, empty at the end.
  [[nodiscard]] virtual std::vector<LlmModel> read_models(std::string_view body,
                                                          const Endpoint& endpoint,
                                                          std::string& next) const = 0;

  /// The provider's own count of tokens, where it has one.
  [[nodiscard]] virtual std::optional<HttpRequest> count_request(const LlmCountRequest&,
                                                                 const Endpoint&) const {
    return std::nullopt;
  }
  [[nodiscard]] virtual std::optional<std::int64_t> read_count(std::string_view) const {
    return std::nullopt;
  }
};

/// What a provider's refusal means: its status, its words, its Retry-After. `wall_ns` for dates.
/// Also for what has a good status and is_web_page().
[[nodiscard]] Failure http_failure(const HttpHead& head, std::string_view body,
                                   const Endpoint& endpoint, std::int64_t wall_ns);
/// The same for the error object in the middle of a stream (JSON text, {"error": {…}} or bare).
[[nodiscard]] Failure stream_failure(std::string_view json, const Endpoint& endpoint);
/// Whether it is a page for people: something else than a provider is at this address.
[[nodiscard]] bool is_web_page(const HttpHead& head);
/// `words` with the provider's name in front, where they do not begin with it.
[[nodiscard]] std::string named(const Endpoint& endpoint, std::string_view words);
/// Words of a provider without what must not be told: keys, control characters, too much of it.
[[nodiscard]] std::string redact(std::string_view text, const Endpoint& endpoint);

/// Whether what is opaque was made by this plugin, so that it may go back.
[[nodiscard]] inline bool made_by(const std::optional<LlmOpaque>& opaque, std::string_view plugin) {
  return opaque && opaque->plugin == plugin;
}

}  // namespace gantry::llm
