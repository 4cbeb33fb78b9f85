// SPDX-License-Identifier: Apache-2.0
//
// Reads JSON text into a described struct without a document in between. It has no errors of its
// own: whatever is not as it should be, or would need another look (a repeated member: the last one
// counts, but what the first one left behind is not the default), is left to the reader of values,
// which says what it is. So what is taken here must be what that one takes, with the same result.
#include <gantry/codec.hpp>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "descriptor_memory.hpp"
#include "json_scanner.hpp"

namespace gantry::codec {

namespace {

boost::json::value value_of(const Number& number) {
  switch (number.form) {
    case Number::Form::integer: return number.integer;
    case Number::Form::large: return number.large;
    case Number::Form::real: break;
  }
  return number.real;
}

double as_double(const Number& number) {
  switch (number.form) {
    case Number::Form::integer: return static_cast<double>(number.integer);
    case Number::Form::large: return static_cast<double>(number.large);
    case Number::Form::real: break;
  }
  return number.real;
}

/// Goes over a value of any form: checks it, and copies it when it is asked to.
class Walker : public Scanner {
 protected:
  using Scanner::Scanner;
  ~Walker() = default;

  bool skip_value(std::size_t depth) { return walk_value(depth); }

  /// Into `out`, as serialize() would have it.
  bool copy_value(std::string& out, std::size_t depth) {
    const char* const from = at_;
    out.clear();
    copy_ = &out;
    copied_ = at_;
    name_count_ = 0;
    const bool straight = walk_value(depth);
    copy_ = nullptr;
    if (straight) {
      out.append(std::string_view(copied_, at_));
      return true;
    }
    // Not valid, or an object whose names cannot be told apart on the way. Its end is looked for
    // first: who rewrites makes room for texts as long as all that is given.
    at_ = from;
    if (!walk_value(depth)) return false;
    out.clear();
    return rewrite(out, {from, at_}, depth);
  }

 private:
  bool walk_value(std::size_t depth) {
    if (at_ == end_) return false;
    switch (*at_) {
      case '{': return walk_object(depth + 1);
      case '[': return walk_array(depth + 1);
      case '"': return walk_text();
      case 't': return scan_word("true");
      case 'f': return scan_word("false");
      case 'n': return scan_word("null");
      default: return walk_number();
    }
  }

  bool walk_array(std::size_t depth) {
    if (depth > kMaxDepth) return false;
    ++at_;
    walk_space();
    if (take(']')) return true;
    do {
      walk_space();
      if (!walk_value(depth)) return false;
      walk_space();
    } while (take(','));
    return take(']');
  }

  bool walk_object(std::size_t depth) {
    if (depth > kMaxDepth) return false;
    ++at_;
    walk_space();
    if (take('}')) return true;
    const std::size_t outer = name_count_;
    std::uint64_t met = 0;
    do {
      walk_space();
      if (!at('"') || !scan_text()) return false;
      if (copy_ != nullptr && !note_name(outer, met)) return false;
      walk_space();
      if (!take(':')) return false;
      walk_space();
      if (!walk_value(depth)) return false;
      walk_space();
    } while (take(','));
    name_count_ = outer;
    return take('}');
  }

  /// False when the object may have that name already; its names begin at `outer`. `met` has a bit
  /// for each of them, which tells most apart without a look.
  bool note_name(std::size_t outer, std::uint64_t& met) {
    if (text_had_escapes() || name_count_ == names_.size()) return false;
    std::size_t mixed = text_.size();
    if (!text_.empty()) {
      mixed += static_cast<std::uint8_t>(text_.front()) * std::size_t{5};
      mixed += static_cast<std::uint8_t>(text_.back()) * std::size_t{11};
    }
    const std::uint64_t bit = std::uint64_t{1} << mixed % 64;
    if ((met & bit) != 0) {
      for (std::size_t i = outer; i < name_count_; ++i) {
        if (names_[i] == text_) return false;
      }
    }
    met |= bit;
    names_[name_count_++] = text_;
    return true;
  }

  void walk_space() {
    const char* const from = at_;
    skip_space();
    if (at_ != from && copy_ != nullptr) replace(from, {});
  }

  bool walk_text() {
    const char* const from = at_;
    if (!scan_text()) return false;
    if (copy_ == nullptr || !text_had_escapes()) return true;
    replace(from, {});
    write_string(*copy_, text_);
    return true;
  }

  bool walk_number() {
    const char* const from = at_;
    Number number;
    if (!scan_number(number)) return false;
    if (copy_ == nullptr || number.form == Number::Form::large) return true;
    if (number.form == Number::Form::integer) {
      if (number.integer == 0 && *from == '-') replace(from, "0");
      return true;
    }
    std::string written;
    write_double(written, number.real);
    if (written != std::string_view(from, at_)) replace(from, written);
    return true;
  }

  /// Has `text` instead of what was taken since `from`.
  void replace(const char* from, std::string_view text) {
    copy_->append(std::string_view(copied_, from));
    copy_->append(text);
    copied_ = at_;
  }

  std::string* copy_ = nullptr;   // none: what is walked over is only checked
  const char* copied_ = nullptr;  // up to where the text stands in it
  std::size_t name_count_ = 0;
  std::array<std::string_view, 64> names_;  // of the objects that are open
};

class StraightReader : public Walker {
 public:
  using Walker::Walker;

  bool read_document(const Descriptor& type, void* object) {
    skip_space();
    return read(type, object, 0) && scan_end();
  }

 private:
  /// `depth`: of what the value stands in.
  bool read(const Descriptor& type, void* object, std::size_t depth) {
    switch (type.kind) {
      case Kind::boolean: return read_bool(*static_cast<bool*>(object));
      case Kind::enumeration: return read_enum(type, object);
      case Kind::signed_integer: return read_signed_integer(type, object);
      case Kind::unsigned_integer: return read_unsigned_integer(type, object);
      case Kind::floating: return read_floating(type, object);
      case Kind::string:
        if (!at('"') || !scan_text()) return false;
        static_cast<std::string*>(object)->assign(text_);
        return true;
      case Kind::buffer: return read_buffer(*static_cast<Buffer*>(object));
      case Kind::json: return copy_value(static_cast<Json*>(object)->text, depth);
      case Kind::optional:
        type.clear(object, 0);
        return at('n') ? scan_word("null") : read(type.element(), type.add(object), depth);
      case Kind::vector: return read_vector(type, object, depth + 1);
      case Kind::bits: return read_bits(*static_cast<std::vector<bool>*>(object), depth + 1);
      case Kind::map: return read_map(type, object, depth + 1);
      case Kind::structure: return read_structure(type, object, depth + 1);
    }
    return false;
  }

  bool read_bool(bool& out) {
    out = at('t');
    return scan_word(out ? "true" : "false");
  }

  bool read_enum(const Descriptor& type, void* object) {
    if (!at('"') || !scan_text()) return false;
    for (const Enumerator& e : type.enumerators) {
      if (e.name != text_) continue;
      store_integer(object, type.size, static_cast<std::uint64_t>(e.value));
      return true;
    }
    return false;
  }

  bool read_signed_integer(const Descriptor& type, void* object) {
    Number number;
    if (!scan_number(number)) return false;
    const std::int64_t low = lowest_signed(type.size);
    const std::int64_t high = highest_signed(type.size);
    if (number.form != Number::Form::integer) {
      const auto whole = read_signed(value_of(number), Path{}, low, high);
      if (!whole.ok()) return false;
      number.integer = *whole;
    }
    if (number.integer < low || number.integer > high) return false;
    store_integer(object, type.size, static_cast<std::uint64_t>(number.integer));
    return true;
  }

  bool read_unsigned_integer(const Descriptor& type, void* object) {
    Number number;
    if (!scan_number(number)) return false;
    const std::uint64_t high = highest_unsigned(type.size);
    if (number.form != Number::Form::integer) {
      const auto whole = read_unsigned(value_of(number), Path{}, high);
      if (!whole.ok()) return false;
      store_integer(object, type.size, *whole);
      return true;
    }
    const auto whole = static_cast<std::uint64_t>(number.integer);
    if (number.integer < 0 || whole > high) return false;
    store_integer(object, type.size, whole);
    return true;
  }

  bool read_floating(const Descriptor& type, void* object) {
    double value = std::numeric_limits<double>::quiet_NaN();  // as write_double() has null
    if (at('n')) {
      if (!scan_word("null")) return false;
    } else {
      Number number;
      if (!scan_number(number)) return false;
      value = as_double(number);
    }
    if (type.size == sizeof(double)) {
      std::memcpy(object, &value, sizeof value);
      return true;
    }
    if (std::abs(value) > static_cast<double>(std::numeric_limits<float>::max())) return false;
    *static_cast<float*>(object) = static_cast<float>(value);
    return true;
  }

  bool read_buffer(Buffer& out) {
    if (!at('"') || !scan_text()) return false;
    auto bytes = read_base64(text_);
    if (!bytes.ok()) return false;
    out = Buffer::of(std::move(bytes).value());
    return true;
  }

  /// `element` reads one, and says whether it could.
  template <class F>
  bool read_list(std::size_t depth, F&& element) {
    if (!take('[') || depth > kMaxDepth) return false;
    skip_space();
    if (take(']')) return true;
    do {
      skip_space();
      if (!element()) return false;
      skip_space();
    } while (take(','));
    return take(']');
  }

  bool read_vector(const Descriptor& type, void* object, std::size_t depth) {
    type.clear(object, 0);
    const Descriptor& element = type.element();
    return read_list(depth, [&] { return read(element, type.add(object), depth); });
  }

  bool read_bits(std::vector<bool>& bits, std::size_t depth) {
    bits.clear();
    return read_list(depth, [&] {
      bool bit = false;
      if (!read_bool(bit)) return false;
      bits.push_back(bit);
      return true;
    });
  }

  bool read_map(const Descriptor& type, void* object, std::size_t depth) {
    if (!take('{') || depth > kMaxDepth) return false;
    type.clear(object, 0);
    skip_space();
    if (take('}')) return true;
    const Descriptor& element = type.element();
    std::size_t count = 0;
    do {
      if (!scan_name() || !read(element, type.put(object, text_), depth)) return false;
      ++count;
      skip_space();
    } while (take(','));
    return take('}') && type.count(object) == count;  // fewer: a key came twice
  }

  bool read_structure(const Descriptor& type, void* object, std::size_t depth) {
    if (!take('{') || depth > kMaxDepth) return false;
    skip_space();
    if (take('}')) return true;
    std::uint64_t met = 0;
    if (type.members.size() > 64) return false;
    // Most documents have their members in the order of the struct.
    std::size_t likely = 0;
    do {
      if (!scan_name()) return false;
      const std::size_t found = find_member(type.members, likely);
      if (found == type.members.size()) {
        if (!skip_value(depth)) return false;
      } else {
        if ((met >> found & 1) != 0) return false;  // repeated
        met |= std::uint64_t{1} << found;
        likely = found + 1;
        if (!read_member(type.members[found], object, depth)) return false;
      }
      skip_space();
    } while (take(','));
    return take('}');
  }

  /// Where the member named `text_` is, looked for from `likely` on; past the end when nowhere.
  [[nodiscard]] std::size_t find_member(std::span<const Member> members, std::size_t likely) const {
    for (std::size_t i = likely; i < members.size(); ++i) {
      if (members[i].name == text_) return i;
    }
    for (std::size_t i = 0; i < likely; ++i) {
      if (members[i].name == text_) return i;
    }
    return members.size();
  }

  bool read_member(const Member& member, void* object, std::size_t depth) {
    if (at('n')) return scan_word("null");  // keeps its default
    return read(member.type(), codec::at(object, member.offset), depth);
  }
};

}  // namespace

bool read_straight(const Descriptor& type, void* object, std::string_view json) noexcept {
  try {
    return StraightReader(json).read_document(type, object);
  } catch (...) {
    return false;  // no memory: the other reader says so, or finds some
  }
}

}  // namespace gantry::codec
