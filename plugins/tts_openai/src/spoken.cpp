// SPDX-License-Identifier: Apache-2.0
#include "spoken.hpp"

#include <gantry/http/told.hpp>

#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace gantry::tts_openai {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestWords = 200;  // bytes of a server's own words
constexpr const char* kKeyCure = "set plugins.tts_openai.config.api_key, or OPENAI_API_KEY";

/// What the server says, without the key.
std::string words_of(std::string_view body, const std::string& key) {
  boost::system::error_code failure;
  const json::value value = json::parse(body, failure);
  if (failure || !value.is_object()) return {};
  const json::value* error = value.get_object().if_contains("error");
  if (error == nullptr || !error->is_object()) return {};
  const json::value* message = error->get_object().if_contains("message");
  if (message == nullptr || !message->is_string()) return {};
  return ": " + http::told_words(std::string_view(message->get_string()), key, kLongestWords);
}

}  // namespace

http::HttpRequest speech_request(const Settings& settings, const std::string& text,
                                 const std::string& voice, double rate) {
  http::HttpRequest request;
  request.url = settings.base_url + "/audio/speech";
  request.headers.emplace_back("Content-Type", "application/json");
  request.headers.emplace_back("Accept", "*/*");
  if (!settings.api_key.empty()) {
    request.headers.emplace_back("Authorization", "Bearer " + settings.api_key);
  }
  json::object body{
      {"model", settings.model}, {"input", text}, {"voice", voice}, {"response_format", "pcm"}};
  if (rate != 1) body["speed"] = rate;
  request.body = json::serialize(body);
  return request;
}

Error speech_error(int status, std::string_view body, const Settings& settings) {
  if (status == 401 || status == 403) {
    // Its words often repeat a part of the key.
    return {
        Code::Unauthenticated,
        fmt::format("the speech server does not accept the key ({}) (cure: {})", status, kKeyCure),
        {}};
  }
  const std::string words = words_of(body, settings.api_key);
  if (status == 429) {
    return {Code::ResourceExhausted, "the speech server has had too many requests" + words, {}};
  }
  if (status == 404) {
    return not_found(
        fmt::format("the speech server does not know {}/audio/speech or the model {}{}",
                    settings.base_url, settings.model, words));
  }
  if (status >= 400 && status < 500) {
    return invalid_argument(
        fmt::format("the speech server refuses the text ({}){}", status, words));
  }
  return unavailable(fmt::format("the speech server answers with {}{}", status, words),
                     "try again later, or let another plugin speak");
}

std::vector<std::int16_t> PcmStream::feed(std::string_view bytes) {
  half_ += bytes;
  std::vector<std::int16_t> out;
  out.reserve(half_.size() / 2);
  for (std::size_t i = 0; i + 1 < half_.size(); i += 2) {
    const auto low = static_cast<std::uint8_t>(half_[i]);
    const auto high = static_cast<std::uint8_t>(half_[i + 1]);
    out.push_back(static_cast<std::int16_t>(low | (high << 8)));
  }
  half_.erase(0, out.size() * 2);
  return out;
}

}  // namespace gantry::tts_openai
