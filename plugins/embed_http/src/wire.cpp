// SPDX-License-Identifier: Apache-2.0
#include "wire.hpp"

#include <gantry/codec.hpp>
#include <gantry/embedding/failure.hpp>

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gantry::embed_http {
namespace {

namespace json = boost::json;

constexpr std::size_t kMostDimensions = 65536;

std::string text_of(const json::object& in, std::string_view name) {
  const json::value* value = in.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

Error no_vectors(const Settings& settings, std::string_view what) {
  return embedding::failure(embedding::Trouble::InvalidResponse, settings.provider_id(),
                            fmt::format("{} answered {}", settings.base_url, what));
}

/// The members of an answer with status 200.
Result<json::object> members_of(const Settings& settings, const http::HttpAnswer& answer) {
  using embedding::Trouble;
  const int status = answer.head.status;
  if (status == 200 && !answer.cut) {
    json::error_code problem;
    json::value body = json::parse(answer.body, problem);
    if (!problem && body.is_object()) return std::move(body.get_object());
    return no_vectors(settings, "with no JSON object");
  }
  if (answer.cut) return no_vectors(settings, "with more than can be read");
  const auto said = [&](Trouble trouble, std::string_view words) {
    return embedding::failure(trouble, settings.provider_id(),
                              fmt::format("{} answered {}{}", settings.base_url, status, words));
  };
  if (status == 401 || status == 403) {
    return said(Trouble::Refused, ": it does not take this key; correct embed_http.api_key");
  }
  if (status == 404) return said(Trouble::Refused, ": correct embed_http.base_url or model");
  if (status == 429) return said(Trouble::RateLimited, ": too many requests; ask again later");
  if (status == 502 || status == 503 || status == 504) return said(Trouble::Unavailable, "");
  return said(Trouble::Refused, "");
}

/// A vector of finite numbers; empty: it is none.
std::vector<float> vector_of(const json::value& value) {
  std::vector<float> out;
  const json::array* list = value.if_array();
  if (list == nullptr || list->size() > kMostDimensions) return out;
  out.reserve(list->size());
  for (const json::value& number : *list) {
    const double as_double = number.is_number() ? number.to_number<double>() : std::nan("");
    if (!std::isfinite(as_double)) return {};
    out.push_back(static_cast<float>(as_double));
  }
  return out;
}

/// Puts the vectors of an answer where they belong; false: one has no place, or is none.
bool place_vectors(const json::array& list, bool indexed, std::vector<EmbeddingVector>& out) {
  if (list.size() != out.size()) return false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const json::value* vector = &list[i];
    std::size_t at = i;
    if (indexed) {
      const json::object* entry = list[i].if_object();
      vector = entry == nullptr ? nullptr : entry->if_contains("embedding");
      const json::value* index = entry == nullptr ? nullptr : entry->if_contains("index");
      if (vector == nullptr) return false;
      if (index != nullptr && index->is_int64()) at = static_cast<std::size_t>(index->get_int64());
    }
    if (at >= out.size() || !out[at].values.empty()) return false;
    out[at].values = vector_of(*vector);
    if (out[at].values.empty()) return false;
  }
  const std::size_t dimension = out.front().values.size();
  return std::all_of(out.begin(), out.end(), [dimension](const EmbeddingVector& vector) {
    return vector.values.size() == dimension;
  });
}

/// The space as a service tells it; what it leaves out is made up of what it says.
EmbeddingSpace space_of(const json::object& body, const Settings& settings, std::size_t dimension) {
  const auto or_else = [](std::string text, std::string_view other) {
    return text.empty() ? std::string(other) : std::move(text);
  };
  if (settings.is_openai()) {
    return embedding::make_space(std::string(kOpenAi), settings.model, settings.model, dimension);
  }
  const std::string model = or_else(text_of(body, "model_id"), "unknown");
  return embedding::make_space(or_else(text_of(body, "provider_id"), kRemote), model,
                               or_else(text_of(body, "model_name"), model), dimension);
}

http::HttpRequest request_to(const Settings& settings, std::string_view path) {
  http::HttpRequest request;
  request.url = settings.base_url + std::string(path);
  request.headers = {{"content-type", "application/json"}, {"accept", "application/json"}};
  if (settings.api_key.empty()) return request;
  if (settings.is_openai()) {
    request.headers.emplace_back("authorization", "Bearer " + settings.api_key);
  } else {
    request.headers.emplace_back("x-windie-embedding-key", settings.api_key);
  }
  return request;
}

std::size_t characters_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

}  // namespace

http::HttpRequest embed_request(const Settings& settings, std::span<const std::string> texts) {
  json::array list(texts.begin(), texts.end());
  json::object body;
  if (settings.is_openai()) {
    body["model"] = settings.model;
    body["input"] = std::move(list);
    body["encoding_format"] = "float";
    if (settings.dimensions > 0) body["dimensions"] = settings.dimensions;
  } else {
    body["texts"] = std::move(list);
  }
  http::HttpRequest request = request_to(settings, settings.is_openai() ? "/embeddings" : "/embed");
  request.body = codec::serialize(body);
  return request;
}

http::HttpRequest health_request(const Settings& settings) {
  http::HttpRequest request = request_to(settings, "/health");
  request.method = "GET";
  return request;
}

Result<Vectors> read_vectors(const Settings& settings, const http::HttpAnswer& answer,
                             std::size_t count) {
  GANTRY_ASSIGN(const json::object body, members_of(settings, answer));
  const json::value* list = body.if_contains(settings.is_openai() ? "data" : "embeddings");
  Vectors out;
  out.embeddings.resize(count);
  if (count == 0 || list == nullptr || !list->is_array() ||
      !place_vectors(list->get_array(), settings.is_openai(), out.embeddings)) {
    return no_vectors(settings, "without one embedding for each text");
  }
  out.space = space_of(body, settings, out.embeddings.front().values.size());
  return out;
}

Result<EmbeddingSpace> read_health(const Settings& settings, const http::HttpAnswer& answer) {
  GANTRY_ASSIGN(const json::object body, members_of(settings, answer));
  const json::value* dimension = body.if_contains("dimension");
  const bool healthy = text_of(body, "status") == "healthy" && dimension != nullptr &&
                       dimension->is_int64() && dimension->get_int64() > 0 &&
                       dimension->get_int64() <= static_cast<std::int64_t>(kMostDimensions);
  if (!healthy) return no_vectors(settings, "that it is not healthy");
  return space_of(body, settings, static_cast<std::size_t>(dimension->get_int64()));
}

Error transport_failure(const Settings& settings, const Error& error) {
  const auto trouble = error.code == Code::DeadlineExceeded ? embedding::Trouble::Timeout
                                                            : embedding::Trouble::Unavailable;
  return embedding::failure(trouble, settings.provider_id(),
                            settings.base_url + ": " + error.message);
}

bool is_servers_fault(const Error& error) {
  return error.code == Code::Unavailable || error.code == Code::DeadlineExceeded ||
         error.code == Code::DataLoss;
}

std::size_t next_batch(const Settings& settings, std::span<const std::string> texts) {
  const std::size_t most = std::min(texts.size(), static_cast<std::size_t>(settings.batch));
  std::size_t count = 0;
  for (std::size_t characters = 0; count < most; ++count) {
    characters += characters_of(texts[count]);
    if (count > 0 && characters > embedding::kMostCharacters) break;
  }
  return count;
}

}  // namespace gantry::embed_http
