// SPDX-License-Identifier: Apache-2.0
#include <Poco/DateTimeFormat.h>
#include <Poco/DateTimeParser.h>
#include <gantry/http/told.hpp>
#include <gantry/llm/dialect.hpp>
#include <gantry/llm/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace gantry::llm {
namespace {

constexpr std::size_t kLongestMessage = 600;
constexpr std::string_view kWebPage = "text/html";

struct Word {
  std::string_view word;
  Trouble trouble;
};

/// Codes and types of OpenAI, Anthropic ("Errors") and Google (google.rpc.Code).
constexpr std::array kWords{
    Word{"context_length_exceeded", Trouble::ContextOverflow},
    Word{"request_too_large", Trouble::ContextOverflow},
    Word{"insufficient_quota", Trouble::Quota},
    Word{"billing_error", Trouble::Quota},
    Word{"billing_hard_limit_reached", Trouble::Quota},
    Word{"invalid_api_key", Trouble::BadKey},
    Word{"authentication_error", Trouble::BadKey},
    Word{"permission_error", Trouble::BadKey},
    Word{"UNAUTHENTICATED", Trouble::BadKey},
    Word{"PERMISSION_DENIED", Trouble::BadKey},
    Word{"API_KEY_INVALID", Trouble::BadKey},
    Word{"model_not_found", Trouble::UnknownModel},
    Word{"not_found_error", Trouble::UnknownModel},
    Word{"NOT_FOUND", Trouble::UnknownModel},
    Word{"rate_limit_exceeded", Trouble::RateLimit},
    Word{"rate_limit_error", Trouble::RateLimit},
    Word{"RESOURCE_EXHAUSTED", Trouble::RateLimit},
    Word{"overloaded_error", Trouble::Overloaded},
    Word{"api_error", Trouble::Overloaded},
    Word{"timeout_error", Trouble::Overloaded},
    Word{"server_error", Trouble::Overloaded},
    Word{"server_overloaded", Trouble::Overloaded},
    Word{"UNAVAILABLE", Trouble::Overloaded},
    Word{"INTERNAL", Trouble::Overloaded},
    Word{"DEADLINE_EXCEEDED", Trouble::Overloaded},
};

constexpr std::array<std::string_view, 9> kOverflowWords{
    "maximum context length", "prompt is too long",
    "context window",         "context length",
    "context size",           "input token count",
    "too many tokens",        "exceeds the maximum number of tokens",
    "maximum prompt length"};

struct Parts {
  std::string message;
  std::optional<Trouble> trouble;
  std::optional<std::int64_t> retry_after_ms;
};

std::optional<std::int64_t> milliseconds(std::string_view seconds) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(seconds.data(), seconds.data() + seconds.size(), number);
  if (error != std::errc() || !(number >= 0) || number > 1e7) return std::nullopt;
  return static_cast<std::int64_t>(number * 1000.0);
}

void read_word(Parts& parts, std::string_view word) {
  if (parts.trouble) return;
  for (const Word& row : kWords) {
    if (row.word == word) parts.trouble = row.trouble;
  }
}

void read_error(Parts& parts, const boost::json::value& error) {
  if (const auto* text = error.if_string()) {
    parts.message.assign(text->data(), text->size());
    return;
  }
  parts.message = text_of(error, "message");
  for (const auto& detail : array_of(error, "details")) {  // google.rpc.ErrorInfo, RetryInfo
    read_word(parts, text_of(detail, "reason"));
    const std::string_view delay = text_of(detail, "retryDelay");
    if (delay.ends_with('s'))
      parts.retry_after_ms = milliseconds(delay.substr(0, delay.size() - 1));
  }
  for (const std::string_view name : {"code", "type", "status"}) {
    read_word(parts, text_of(error, name));
  }
}

Parts read_body(std::string_view body) {
  Parts parts;
  const auto read = read_json(body, [&](const boost::json::value& value) {
    const boost::json::value* root = &value;
    const auto* list = value.if_array();  // Google's answers outside of SSE
    if (list != nullptr && !list->empty()) root = &list->front();
    if (const auto* error = member(*root, "error")) {
      read_error(parts, *error);
    } else {
      read_error(parts, *root);
      if (parts.message.empty()) parts.message = text_of(*root, "detail");
    }
  });
  if (!read.ok()) parts.message = std::string(body.substr(0, kLongestMessage));
  return parts;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool mentions_overflow(std::string_view message) {
  const std::string lower = lower_case(message);
  return std::any_of(kOverflowWords.begin(), kOverflowWords.end(), [&](std::string_view words) {
    return lower.find(words) != std::string::npos;
  });
}

Trouble trouble_of_status(int status) {
  switch (status) {
    case 401:
    case 403: return Trouble::BadKey;
    case 402: return Trouble::Quota;
    case 404: return Trouble::UnknownModel;
    case 413: return Trouble::ContextOverflow;
    case 429: return Trouble::RateLimit;
    default: return status == 408 || status >= 500 ? Trouble::Overloaded : Trouble::BadRequest;
  }
}

std::optional<std::int64_t> retry_after(const HttpHead& head, std::int64_t wall_ns) {
  if (const auto ms = head.header("retry-after-ms"); !ms.empty()) {
    if (const auto seconds = milliseconds(ms)) return *seconds / 1000;
  }
  const std::string_view text = head.header("retry-after");
  if (text.empty()) return std::nullopt;
  if (const auto found = milliseconds(text)) return found;
  if (text.find(':') == std::string_view::npos)
    return std::nullopt;  // Poco reads dates into anything
  Poco::DateTime date;
  int zone = 0;
  if (!Poco::DateTimeParser::tryParse(Poco::DateTimeFormat::HTTP_FORMAT, std::string(text), date,
                                      zone)) {
    return std::nullopt;
  }
  const std::int64_t at_ms = date.timestamp().epochMicroseconds() / 1000;
  return std::max<std::int64_t>(0, at_ms - wall_ns / 1'000'000);
}

/// Milliseconds for people, rounded up.
std::string duration_words(std::int64_t ms) {
  constexpr std::int64_t kSecond = 1000, kMinute = 60 * kSecond;
  if (ms > 2 * kMinute) return std::to_string((ms + kMinute - 1) / kMinute) + " min";
  return std::to_string((ms + kSecond - 1) / kSecond) + " s";
}

void add_wait(Failure& failure) {
  const std::int64_t ms = failure.detail.retry_after_ms.value_or(0);
  if (ms <= 0) return;
  const bool sentence = failure.message.ends_with('.');
  failure.message += sentence ? " The" : "; the";
  failure.message += " model server asks to wait " + duration_words(ms) + (sentence ? "." : "");
}

/// A base_url without a path is most often one that has lost the path of its interface.
std::string page_cure(const Endpoint& endpoint) {
  const std::string_view url = endpoint.base_url;
  const std::size_t host = url.find("://");
  const bool bare = host != std::string_view::npos && url.find('/', host + 3) == url.npos;
  if (bare && !endpoint.api.empty()) return "check its base_url: is the path /v1 missing?";
  return "check its base_url";
}

/// A page that is no failure of a server on the way: another kind of server is there.
Failure page_failure(int status, const Endpoint& endpoint) {
  const std::string said = endpoint.name + " answered " + std::to_string(status) +
                           " with a web page, which is no answer of a model server";
  Failure failure{Trouble::UnknownModel, unavailable(said, page_cure(endpoint)).message, {}};
  failure.detail.provider = endpoint.name;
  failure.detail.http_status = status;
  return failure;
}

Failure make_failure(Parts parts, Trouble by_status, const Endpoint& endpoint) {
  Failure failure;
  failure.trouble = parts.trouble.value_or(by_status);
  const bool may_be_overflow =
      failure.trouble == Trouble::BadRequest || failure.trouble == Trouble::Overloaded;
  if (may_be_overflow && mentions_overflow(parts.message)) {
    failure.trouble = Trouble::ContextOverflow;
  }
  failure.message = redact(parts.message, endpoint);
  failure.detail.provider = endpoint.name;
  failure.detail.retry_after_ms = parts.retry_after_ms;
  return failure;
}

}  // namespace

std::string redact(std::string_view text, const Endpoint& endpoint) {
  return http::told_words(text, endpoint.api_key.value, kLongestMessage);
}

bool is_web_page(const HttpHead& head) {
  return lower_case(head.header("content-type").substr(0, kWebPage.size())) == kWebPage;
}

std::string named(const Endpoint& endpoint, std::string_view words) {
  const std::string_view rest =
      words.starts_with(endpoint.name) ? words.substr(endpoint.name.size()) : std::string_view();
  if (rest.starts_with(' ') || rest.starts_with(':')) return std::string(words);
  return endpoint.name + ": " + std::string(words);
}

Failure http_failure(const HttpHead& head, std::string_view body, const Endpoint& endpoint,
                     std::int64_t wall_ns) {
  const bool page = is_web_page(head);
  if (page && (head.status < 400 || head.status == 404 || head.status == 405)) {
    return page_failure(head.status, endpoint);
  }
  // What a page for people says is not worth telling.
  Failure failure = make_failure(read_body(page ? std::string_view() : body),
                                 trouble_of_status(head.status), endpoint);
  if (head.status == 404 && failure.trouble == Trouble::BadRequest) {
    failure.trouble = Trouble::UnknownModel;
  }
  failure.detail.http_status = head.status;
  if (const auto wait = retry_after(head, wall_ns)) failure.detail.retry_after_ms = wait;
  std::string said = endpoint.name + " answered " + std::to_string(head.status);
  if (page) said += " with a web page";
  if (!failure.message.empty()) said += ": " + failure.message;
  failure.message = std::move(said);
  add_wait(failure);
  return failure;
}

Failure stream_failure(std::string_view json, const Endpoint& endpoint) {
  Failure failure = make_failure(read_body(json), Trouble::BrokenStream, endpoint);
  failure.message = endpoint.name + " ended its answer with an error: " +
                    (failure.message.empty() ? "it does not say which" : failure.message);
  add_wait(failure);
  return failure;
}

}  // namespace gantry::llm
