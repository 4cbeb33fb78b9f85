// SPDX-License-Identifier: Apache-2.0
//
// A model in ONNX's format, written by the test: y = relu(x) for floats, m = k for integers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace gantry::onnx::test {

/// One message of Protocol Buffers on its way.
class Message {
 public:
  Message& number(int field, std::uint64_t value) {
    varint(static_cast<std::uint64_t>(field) << 3U);
    varint(value);
    return *this;
  }
  Message& text(int field, std::string_view value) {
    varint((static_cast<std::uint64_t>(field) << 3U) | 2U);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(int field, const Message& value) { return text(field, value.bytes_); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value > 127; value >>= 7U) bytes_ += static_cast<char>((value & 127U) | 128U);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

inline Message value_info(std::string_view name, std::uint64_t element) {
  const Message dimension = Message().text(2, "n");
  const Message shape = Message().message(1, dimension);
  const Message tensor = Message().number(1, element).message(2, shape);
  return Message().text(1, name).message(2, Message().message(1, tensor));
}

inline Message node(std::string_view input, std::string_view output, std::string_view operation) {
  return Message().text(1, input).text(2, output).text(3, output).text(4, operation);
}

inline std::string tiny_model() {
  Message graph;
  graph.message(1, node("x", "y", "Relu")).message(1, node("k", "m", "Identity"));
  graph.text(2, "tiny");
  graph.message(11, value_info("x", 1)).message(11, value_info("k", 7));
  graph.message(12, value_info("y", 1)).message(12, value_info("m", 7));
  return Message().number(1, 8).message(7, graph).message(8, Message().number(2, 13)).bytes();
}

}  // namespace gantry::onnx::test
