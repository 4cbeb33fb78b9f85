// SPDX-License-Identifier: Apache-2.0
#include "upload.hpp"

#include <gantry/http/told.hpp>
#include <gantry/speech/wav.hpp>

#include <fmt/format.h>

#include <boost/json/parse.hpp>
#include <chrono>
#include <memory>
#include <random>
#include <utility>

namespace gantry::stt_openai {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestAnswer = std::size_t{1} << 20U;

void field(std::string& body, const std::string& boundary, std::string_view name,
           std::string_view value) {
  if (value.empty()) return;
  body += fmt::format("--{}\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{}\r\n", boundary,
                      name, value);
}

std::string joined(const std::vector<std::string>& phrases) {
  std::string out;
  for (const std::string& phrase : phrases) {
    if (out.size() > 1000) break;
    out += (out.empty() ? "" : ", ") + phrase;
  }
  return out;
}

/// What the server says went wrong.
std::string message_in(const std::string& body) {
  boost::system::error_code failure;
  const json::value value = json::parse(body, failure);
  if (failure || !value.is_object()) return {};
  const json::value* const error = value.get_object().if_contains("error");
  if (error == nullptr || !error->is_object()) return {};
  const json::value* const message = error->get_object().if_contains("message");
  return message != nullptr && message->is_string() ? std::string(message->get_string()) : "";
}

}  // namespace

http::HttpRequest upload_request(const Settings& settings, const SpeechHints& hints,
                                 const Audio& audio, const std::string& boundary) {
  http::HttpRequest request;
  request.url = settings.base_url + "/audio/transcriptions";
  request.headers.emplace_back("Content-Type", "multipart/form-data; boundary=" + boundary);
  request.headers.emplace_back("Accept", "application/json");
  if (!settings.api_key.empty()) {
    request.headers.emplace_back("Authorization", "Bearer " + settings.api_key);
  }
  std::string& body = request.body;
  field(body, boundary, "model", settings.upload_model);
  field(body, boundary, "language", hints.language);
  field(body, boundary, "prompt", joined(hints.vocabulary));
  field(body, boundary, "response_format", "json");
  body += fmt::format(
      "--{}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"speech.wav\"\r\n"
      "Content-Type: audio/wav\r\n\r\n",
      boundary);
  body += speech::write_wav(audio);
  body += fmt::format("\r\n--{}--\r\n", boundary);
  return request;
}

Result<std::string> uploaded_text(int status, const std::string& body, const std::string& key) {
  if (status < 200 || status > 299) {
    std::string reason = fmt::format("the speech server answered {}", status);
    if (status == 401 || status == 403) {  // its words repeat a part of the key
      return unavailable(reason, "check stt_openai.api_key or OPENAI_API_KEY");
    }
    if (const std::string message = http::told_words(message_in(body), key); !message.empty()) {
      reason += ": " + message;
    }
    if (status == 429) return Error{Code::ResourceExhausted, reason, {}};
    if (status >= 400 && status < 500 && status != 404) return invalid_argument(reason);
    return unavailable(reason, "check stt_openai.base_url and whether the server runs");
  }
  boost::system::error_code failure;
  const json::value value = json::parse(body, failure);
  const json::value* const text =
      !failure && value.is_object() ? value.get_object().if_contains("text") : nullptr;
  if (text == nullptr || !text->is_string()) {
    return Error{Code::DataLoss, "the speech server's answer has no text", {}};
  }
  return std::string(text->get_string());
}

std::string Upload::route() const { return "openai, " + settings_.upload_model; }

Result<void> Upload::prepare(const SpeechHints& hints) {
  hints_ = hints;
  if (hints_.language.empty()) hints_.language = settings_.language;
  return {};
}

Result<void> Upload::begin() {
  samples_.clear();
  return {};
}

Result<void> Upload::sound(std::span<const std::int16_t> samples) {
  samples_.insert(samples_.end(), samples.begin(), samples.end());
  return {};
}

Result<speech::Hypothesis> Upload::end() {
  const Audio audio{rate(), 1, speech::buffer_of(samples_)};
  samples_.clear();
  std::random_device device;
  const http::HttpRequest request = upload_request(
      settings_, hints_, audio, fmt::format("gantry-{:08x}{:08x}", device(), device()));
  http::HttpOptions options;
  options.proxy = settings_.proxy;
  options.ca_file = settings_.ca_file;
  const auto exchange = std::make_shared<http::HttpExchange>(options);
  const Timer limit = host_.after(std::chrono::milliseconds(settings_.request_timeout),
                                  [exchange] { exchange->abort(); });
  GANTRY_ASSIGN(const http::HttpHead head, exchange->send(request));
  GANTRY_ASSIGN(const std::string body, exchange->read_all(kLongestAnswer));
  speech::Hypothesis out;
  GANTRY_ASSIGN(out.text, uploaded_text(head.status, body, settings_.api_key));
  out.route = route();
  return out;
}

}  // namespace gantry::stt_openai
