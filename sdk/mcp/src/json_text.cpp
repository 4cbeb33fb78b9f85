// SPDX-License-Identifier: Apache-2.0
#include <gantry/mcp/json_text.hpp>

#include <gantry/codec.hpp>

namespace gantry::mcp {

std::string quoted(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  codec::write_string(out, text);
  return out;
}

std::string quoted_base64(std::span<const std::uint8_t> bytes) {
  std::string out;
  codec::write_base64(out, bytes);
  return out;
}

void ObjectText::key(std::string_view name) {
  if (text_.size() > 1) text_.push_back(',');
  codec::write_string(text_, name);
  text_.push_back(':');
}

ObjectText& ObjectText::add(std::string_view name, std::string_view text) {
  key(name);
  codec::write_string(text_, text);
  return *this;
}

ObjectText& ObjectText::add(std::string_view name, std::int64_t value) {
  key(name);
  codec::write_integer(text_, value);
  return *this;
}

ObjectText& ObjectText::add(std::string_view name, double value) {
  key(name);
  codec::write_double(text_, value);
  return *this;
}

ObjectText& ObjectText::add_if(std::string_view name, std::string_view text) {
  return text.empty() ? *this : add(name, text);
}

ObjectText& ObjectText::raw(std::string_view name, std::string_view json) {
  key(name);
  text_ += json;
  return *this;
}

std::string ObjectText::take() {
  text_.push_back('}');
  std::string whole;
  whole.swap(text_);
  text_.push_back('{');
  return whole;
}

ArrayText& ArrayText::add(std::string_view text) { return raw(quoted(text)); }

ArrayText& ArrayText::raw(std::string_view json) {
  if (text_.size() > 1) text_.push_back(',');
  text_ += json;
  return *this;
}

}  // namespace gantry::mcp
