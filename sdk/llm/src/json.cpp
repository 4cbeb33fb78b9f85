// SPDX-License-Identifier: Apache-2.0
#include <gantry/llm/json.hpp>

#include <cmath>

namespace gantry::llm {

boost::json::value parse_or_null(std::string_view text) {
  boost::json::value out;
  const auto read = read_json(text, [&](const boost::json::value& value) {
    out = boost::json::value(value, boost::json::storage_ptr());
  });
  return read.ok() ? out : boost::json::value();
}

std::string_view json_or_null(std::string_view text) {
  return read_json(text, [](const boost::json::value&) {}).ok() ? text : "null";
}

const boost::json::value* member(const boost::json::value& value, std::string_view name) {
  const auto* object = value.if_object();
  if (object == nullptr) return nullptr;
  const auto* found = object->if_contains(jsv(name));
  return found == nullptr || found->is_null() ? nullptr : found;
}

const boost::json::value* at(const boost::json::value& value,
                             std::initializer_list<std::string_view> path) {
  const boost::json::value* here = &value;
  for (const std::string_view name : path) {
    here = member(*here, name);
    if (here == nullptr) return nullptr;
  }
  return here;
}

std::string_view text_of(const boost::json::value& value, std::string_view name) {
  const auto* found = member(value, name);
  const auto* text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::string_view() : std::string_view(text->data(), text->size());
}

std::optional<std::int64_t> number_of(const boost::json::value& value, std::string_view name) {
  const auto* found = member(value, name);
  if (found == nullptr) return std::nullopt;
  if (const auto* whole = found->if_int64()) return *whole;
  const auto* real = found->if_double();
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (real == nullptr || !(std::fabs(*real) <= kExact)) return std::nullopt;
  return static_cast<std::int64_t>(*real);
}

const boost::json::array& array_of(const boost::json::value& value, std::string_view name) {
  static const boost::json::array kNone;
  const auto* found = member(value, name);
  const auto* array = found == nullptr ? nullptr : found->if_array();
  return array == nullptr ? kNone : *array;
}

std::string base64(std::string_view bytes) {
  std::string quoted;
  codec::write_base64(quoted, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  return quoted.substr(1, quoted.size() - 2);
}

std::string data_url(std::string_view media_type, std::string_view bytes) {
  std::string out = "data:";
  out += media_type;
  out += ";base64,";
  out += base64(bytes);
  return out;
}

}  // namespace gantry::llm
