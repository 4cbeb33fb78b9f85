// SPDX-License-Identifier: Apache-2.0
//
// A sentence encoder in ONNX's format, written by the test: of every piece it makes the vector
// [number of the piece, mask]. Inputs input_ids and attention_mask [texts, pieces], output
// [texts, pieces, 2].
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gantry::embed_local::test {

/// A message of Protocol Buffers: numbers, and everything else by its length.
class Proto {
 public:
  Proto& number(unsigned field, std::uint64_t value) {
    varint(field << 3U);
    varint(value);
    return *this;
  }
  Proto& bytes(unsigned field, std::string_view value) {
    varint((field << 3U) | 2U);
    varint(value.size());
    out_ += value;
    return *this;
  }
  Proto& message(unsigned field, const Proto& value) { return bytes(field, value.out_); }
  [[nodiscard]] const std::string& text() const { return out_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7U) out_ += static_cast<char>(value | 128U);
    out_ += static_cast<char>(value);
  }
  std::string out_;
};

inline std::string sentence_model() {
  constexpr std::uint64_t kFloat = 1, kInt64 = 7;
  // Attribute: name 1, i 3, type 20 (2: an int). Node: input 1, output 2, op_type 4, attribute 5.
  const auto integer = [](std::string_view name, std::uint64_t value) {
    return Proto().bytes(1, name).number(3, value).number(20, 2);
  };
  const auto node = [](const std::vector<std::string_view>& inputs, std::string_view output,
                       std::string_view operation) {
    Proto out;
    for (const std::string_view input : inputs) out.bytes(1, input);
    return out.bytes(2, output).bytes(4, operation);
  };
  const auto value = [](std::string_view name, std::uint64_t type,
                        const std::vector<std::string_view>& dimensions) {
    Proto shape;
    for (const std::string_view dimension : dimensions) {
      shape.message(1, Proto().bytes(2, dimension));
    }
    const Proto tensor = Proto().number(1, type).message(2, shape);
    return Proto().bytes(1, name).message(2, Proto().message(1, tensor));
  };
  // Tensor: dims 1, data_type 2, name 8, raw_data 9.
  const Proto last_axis = Proto().number(1, 1).number(2, kInt64).bytes(8, "axis").bytes(
      9, std::string("\2\0\0\0\0\0\0\0", 8));
  Proto graph;
  const auto cast = [&](std::string_view from, std::string_view to) {
    graph.message(1, node({from}, to, "Cast").message(5, integer("to", kFloat)));
  };
  cast("input_ids", "ids");
  cast("attention_mask", "mask");
  graph.message(1, node({"ids", "axis"}, "ids3", "Unsqueeze"));
  graph.message(1, node({"mask", "axis"}, "mask3", "Unsqueeze"));
  graph.message(
      1, node({"ids3", "mask3"}, "last_hidden_state", "Concat").message(5, integer("axis", 2)));
  graph.bytes(2, "sentences");
  graph.message(5, last_axis);
  graph.message(11, value("input_ids", kInt64, {"b", "s"}));
  graph.message(11, value("attention_mask", kInt64, {"b", "s"}));
  graph.message(12, value("last_hidden_state", kFloat, {"b", "s", "d"}));
  return Proto().number(1, 8).message(7, graph).message(8, Proto().number(2, 13)).text();
}

}  // namespace gantry::embed_local::test
