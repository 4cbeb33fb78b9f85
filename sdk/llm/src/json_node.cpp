// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/llm/json_node.hpp>

#include <cmath>
#include <limits>
#include <new>

#include "json_parser.hpp"

namespace gantry::llm {
namespace {

using Kind = JsonRow::Kind;

constexpr std::size_t kMostValues = 1'000'000;  // an answer's largest events have some thousands
struct TooManyValues {};

/// Puts what the parser finds into the row.
class Rows {
 public:
  Rows(std::vector<JsonRow>& rows, std::string& texts, std::size_t most)
      : rows_(rows), texts_(texts), most_(most) {
    rows_.clear();
    texts_.clear();
  }

  std::size_t open_object() { return open(Kind::object); }
  std::size_t open_array() { return open(Kind::array); }
  void close_object(std::size_t row, std::size_t, std::string_view text) { close(row, text); }
  void close_array(std::size_t row, std::size_t, std::string_view text) { close(row, text); }
  void name(std::string_view name, bool escaped) { name_ = escaped ? kept(name) : name; }
  void text(std::string_view text, bool escaped) { add(Kind::text, escaped ? kept(text) : text); }
  void number(const codec::Number&, std::string_view text) { add(Kind::number, text); }
  void word(std::string_view word) {
    add(word == "null" ? Kind::null : word == "true" ? Kind::yes : Kind::no, word);
  }

 private:
  /// In an array the name is that of another value; nobody asks for it there.
  void add(Kind kind, std::string_view text) {
    if (rows_.size() == kMostValues) throw TooManyValues();
    rows_.push_back({name_.data(), text.data(), static_cast<std::uint32_t>(name_.size()),
                     static_cast<std::uint32_t>(text.size()), 1, kind});
  }
  std::size_t open(Kind kind) {
    add(kind, {});
    return rows_.size() - 1;
  }
  void close(std::size_t index, std::string_view text) {
    JsonRow& row = rows_[index];
    row.data = text.data();
    row.size = static_cast<std::uint32_t>(text.size());
    row.rows = static_cast<std::uint32_t>(rows_.size() - index);
  }
  /// Views of earlier ones stay right: all strings together are no longer than the document.
  std::string_view kept(std::string_view text) {
    texts_.reserve(most_);
    const std::size_t begin = texts_.size();
    texts_ += text;
    return std::string_view(texts_).substr(begin);
  }

  std::vector<JsonRow>& rows_;
  std::string& texts_;
  const std::size_t most_;  // bytes of the document
  std::string_view name_;
};

class NumberText final : public codec::Scanner {
 public:
  using Scanner::Scanner;
  bool read(codec::Number& number) { return scan_number(number); }
};

}  // namespace

std::optional<std::int64_t> JsonNode::number() const {
  using Form = codec::Number::Form;
  if (!is(Kind::number)) return std::nullopt;
  codec::Number number;
  if (!NumberText(row_->text()).read(number)) return std::nullopt;
  if (number.form == Form::integer) return number.integer;
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (number.form == Form::large || !(std::fabs(number.real) <= kExact)) return std::nullopt;
  return static_cast<std::int64_t>(number.real);
}

JsonItems JsonNode::items() const {
  return is_array() ? JsonItems(row_ + 1, row_ + row_->rows) : JsonItems();
}

JsonNode JsonNode::member(std::string_view name) const {
  if (!is_object()) return {};
  const JsonRow* found = nullptr;
  const JsonRow* const end = row_ + row_->rows;
  for (const JsonRow* row = row_ + 1; row != end; row += row->rows) {
    if (row->name() == name) found = row;
  }
  return found == nullptr || found->kind == Kind::null ? JsonNode() : JsonNode(found);
}

std::string JsonNode::json() const {
  std::string out;
  if (is(Kind::text)) {
    codec::write_string(out, row_->text());
  } else if (row_ == nullptr || !codec::rewrite(out, row_->text(), 0)) {
    out = "null";
  }
  return out;
}

Result<void> JsonReader::read(std::string_view text, void (*use)(void* state, JsonNode root),
                              void* state) {
  if (text.size() > std::numeric_limits<std::uint32_t>::max()) {
    return Error{Code::ResourceExhausted, "the JSON document is larger than 4 GiB", {}};
  }
  try {
    Rows rows(rows_, texts_, text.size());
    codec::JsonParser parser(text, rows);
    if (!parser.parse()) return parser.error();
    use(state, JsonNode(rows_.data()));
    return {};
  } catch (const TooManyValues&) {
    return Error{Code::ResourceExhausted, "the JSON document has more than 1,000,000 values", {}};
  } catch (const std::bad_alloc&) {
    return Error{Code::ResourceExhausted, "the JSON document does not fit into memory", {}};
  } catch (const std::exception& e) {
    return internal_error(std::string("reading JSON failed: ") + e.what());
  }
}

}  // namespace gantry::llm
