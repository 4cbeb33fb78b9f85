// SPDX-License-Identifier: Apache-2.0
#include <gantry/mcp/json_rpc.hpp>

#include <gantry/codec.hpp>
#include <gantry/mcp/json_text.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace gantry::mcp {
namespace {

namespace json = boost::json;

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kLargestBatch = 1000;
constexpr std::size_t kValueBytes = 16;

Message invalid(std::string id, int code, std::string problem) {
  Message message;
  message.id = std::move(id);
  message.error = RpcError{code, std::move(problem), {}};
  return message;
}

/// A string or an integer; anything else names no request.
bool usable_id(const json::value& id) { return id.is_string() || id.is_int64() || id.is_uint64(); }

RpcError read_error(const json::value& value) {
  RpcError error{kInternalError, "the client answered with an error", {}};
  const json::object* object = value.if_object();
  if (object == nullptr) return error;
  if (const json::value* code = member(*object, "code"); code != nullptr && code->is_int64()) {
    error.code = static_cast<int>(code->get_int64());
  }
  if (auto text = text_member(*object, "message")) error.message = std::move(*text);
  return error;
}

Message read_response(json::object& object, std::string id) {
  if (id.empty()) return invalid({}, kInvalidRequest, "a response needs the id of its request");
  Message message;
  message.kind = Message::Kind::Response;
  message.id = std::move(id);
  if (const json::value* error = member(object, "error"); error != nullptr) {
    message.error = read_error(*error);
  } else if (json::value* result = object.if_contains("result"); result != nullptr) {
    message.result = std::move(*result);
  } else {
    return invalid({}, kInvalidRequest, "a message needs a method, a result or an error");
  }
  return message;
}

Message read_message(json::value value) {
  json::object* object = value.if_object();
  if (object == nullptr) {
    return invalid({}, kInvalidRequest, "a message must be a JSON object");
  }
  const json::value* id = member(*object, "id");
  const std::string id_text = id != nullptr && usable_id(*id) ? json_text(*id) : std::string();
  const auto version = text_member(*object, "jsonrpc");
  if (version != "2.0") {
    return invalid(id_text, kInvalidRequest, "`jsonrpc` must be \"2.0\"");
  }
  const json::value* method = member(*object, "method");
  if (method == nullptr) return read_response(*object, id_text);
  if (!method->is_string()) {
    return invalid(id_text, kInvalidRequest, "`method` must be a string");
  }
  if (id != nullptr && id_text.empty()) {
    return invalid({}, kInvalidRequest, "`id` must be a string or an integer");
  }
  Message message;
  message.kind = id != nullptr ? Message::Kind::Request : Message::Kind::Notification;
  message.id = id_text;
  message.method = std::string(method->get_string());
  if (json::value* params = object->if_contains("params"); params != nullptr) {
    if (!params->is_object()) {
      return invalid(id_text, kInvalidRequest, "`params` must be an object");
    }
    message.params = std::move(params->get_object());
  }
  return message;
}

/// Behind the string that begins at `at`.
std::size_t skip_string(std::string_view text, std::size_t at) {
  for (std::size_t end = at + 1;; ++end) {
    end = text.find('"', end);
    if (end == std::string_view::npos) return text.size();
    std::size_t before = end;
    while (text[before - 1] == '\\') --before;
    if ((end - before) % 2 == 0) return end + 1;
  }
}

/// Each comma and each bracket that opens outside of strings begins a value.
bool has_more_values(std::string_view text, std::size_t most, std::size_t& count) {
  count = 1;
  for (std::size_t i = 0; i < text.size() && count <= most;) {
    const char c = text[i];
    if (c == '"') {
      i = skip_string(text, i);
      continue;
    }
    count += c == ',' || c == '[' || c == '{' ? 1 : 0;
    ++i;
  }
  return count > most;
}

Message too_many_values(std::size_t most) {
  const std::string limit = std::to_string(most);
  Message message = invalid({}, kInvalidRequest, "a message may have at most " + limit + " values");
  message.error->data = ObjectText().add("code", "resource_exhausted").raw("limit", limit).text();
  return message;
}

}  // namespace

Parsed parse_messages(std::string_view text, std::size_t most_values) {
  Parsed parsed;
  std::size_t values = 0;
  if (has_more_values(text, most_values, values)) {
    parsed.messages.push_back(too_many_values(most_values));
    return parsed;
  }
  const std::size_t weight = text.size() + kValueBytes * values;
  boost::system::error_code problem;
  json::parse_options options;
  options.max_depth = kDeepest;
  json::value value = json::parse({text.data(), text.size()}, problem, {}, options);
  if (problem) {
    parsed.messages.push_back(
        invalid({}, kParseError, "the message is no JSON: " + problem.message()));
    return parsed;
  }
  json::array* batch = value.if_array();
  if (batch == nullptr) {
    parsed.messages.push_back(read_message(std::move(value)));
    parsed.messages.back().weight = weight;
    return parsed;
  }
  if (batch->empty() || batch->size() > kLargestBatch) {
    parsed.messages.push_back(
        invalid({}, kInvalidRequest,
                batch->empty()
                    ? "a batch must hold at least one message"
                    : "a batch may hold at most " + std::to_string(kLargestBatch) + " messages"));
    return parsed;
  }
  parsed.batch = true;
  for (json::value& element : *batch) {
    parsed.messages.push_back(read_message(std::move(element)));
    parsed.messages.back().weight = weight / batch->size() + 1;
  }
  return parsed;
}

std::string write_result(std::string_view id, std::string_view result_json) {
  std::string out;
  out.reserve(result_json.size() + id.size() + 40);
  out += R"({"jsonrpc":"2.0","id":)";
  out += id.empty() ? "null" : id;
  out += R"(,"result":)";
  out += result_json;
  out += '}';
  return out;
}

std::string write_error(std::string_view id, const RpcError& error, bool null_id) {
  ObjectText body;
  body.add("code", std::int64_t{error.code});
  body.add("message", error.message);
  if (!error.data.empty()) body.raw("data", error.data);
  ObjectText out;
  out.add("jsonrpc", "2.0");
  if (!id.empty() || null_id) out.raw("id", id.empty() ? std::string_view("null") : id);
  out.raw("error", body.text());
  return out.take();
}

std::string write_request(std::string_view id, std::string_view method,
                          std::string_view params_json) {
  ObjectText out;
  out.add("jsonrpc", "2.0");
  out.raw("id", id);
  out.add("method", method);
  if (!params_json.empty()) out.raw("params", params_json);
  return out.take();
}

std::string write_notification(std::string_view method, std::string_view params_json) {
  ObjectText out;
  out.add("jsonrpc", "2.0");
  out.add("method", method);
  if (!params_json.empty()) out.raw("params", params_json);
  return out.take();
}

std::string json_text(const json::value& value) { return codec::serialize(value); }

const json::value* member(const json::object& object, std::string_view key) {
  return object.if_contains({key.data(), key.size()});
}

std::optional<std::string> text_member(const json::object& object, std::string_view key) {
  const json::value* found = member(object, key);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return std::string(found->get_string());
}

const json::object* object_member(const json::object& object, std::string_view key) {
  const json::value* found = member(object, key);
  return found == nullptr ? nullptr : found->if_object();
}

}  // namespace gantry::mcp
