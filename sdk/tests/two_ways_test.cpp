// SPDX-License-Identifier: Apache-2.0
//
// Text is read straight into a struct, or through values: both ways must take the same texts and
// make the same of them. Generated documents, whole and damaged.
#include <catch2/catch.hpp>
#include <gantry/codec.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <new>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "samples.hpp"

namespace {

std::size_t room_made = 0;  // bytes of arrays, which is how the readers have their own memory

}  // namespace

void* operator new[](std::size_t size) {
  room_made += size;
  return ::operator new(size);
}
void operator delete[](void* memory) noexcept { ::operator delete(memory); }
void operator delete[](void* memory, std::size_t) noexcept { ::operator delete(memory); }

namespace gantry {
namespace {

using samples::Everything;

/// Documents that are about an Everything, more or less.
class Documents {
 public:
  explicit Documents(std::uint64_t seed) : random_(seed) {}

  /// With `strange` set: things that are wrong, or need a second look, are among them.
  std::string make(bool strange) {
    strange_ = strange;
    out_.clear();
    names_.clear();
    object([&] { member(); }, 12);
    if (strange && odds(8)) damage();
    return out_;
  }

  std::size_t below(std::size_t limit) { return random_() % limit; }

 private:
  template <std::size_t N>
  std::string_view one_of(const char* const (&choices)[N]) {
    return choices[below(N)];
  }
  bool odds(std::size_t one_in) { return below(one_in) == 0; }

  void space() {
    while (odds(6)) out_ += one_of({" ", "\n", "\t", "\r"});
  }

  template <class Each>
  void list(char open, char close, Each each, std::size_t most) {
    out_ += open;
    space();
    const std::size_t count = below(most + 1);
    for (std::size_t i = 0; i < count; ++i) {
      if (i != 0) (out_ += ','), space();
      each();
      space();
    }
    out_ += close;
  }
  template <class Each>
  void object(Each each, std::size_t most) {
    list('{', '}', each, most);
  }

  void text() {
    out_ += '"';
    for (std::size_t i = below(odds(10) ? 60 : 6); i > 0; --i) {
      out_ += one_of({"a", "bc", " ", "1", "é", "€", "😀", "\\n", "\\\"", "\\\\", "\\/", "\\u0041",
                      "\\u001f", "\\u00e9", "\\ud83d\\ude00", "\x7f", "longer than eight bytes"});
      if (strange_ && odds(60))
        out_ += one_of({"\x80", "\xE2\x82", "\\ud83d", "\\x", "\n", "\\u12"});
    }
    out_ += '"';
  }

  std::string_view number() {
    static constexpr const char* kPlain[] = {"0", "1", "-1", "7", "42", "100"};
    static constexpr const char* kOdd[] = {"-0",
                                           "5.0",
                                           "1e3",
                                           "1.5",
                                           "-0.0",
                                           "127",
                                           "128",
                                           "-128",
                                           "-129",
                                           "255",
                                           "256",
                                           "1e-400",
                                           "2147483648",
                                           "9223372036854775807",
                                           "-9223372036854775808",
                                           "9223372036854775808",
                                           "18446744073709551615",
                                           "18446744073709551616",
                                           "123456789012345678",
                                           "1E5",
                                           "1e+30",
                                           "1234567890123456789",
                                           "-9223372036854775809",
                                           "9007199254740993.0",
                                           "1e39",
                                           "3.4e38",
                                           "0.1",
                                           "1e400",
                                           "-1e999",
                                           "01",
                                           "1.",
                                           ".5",
                                           "+1",
                                           "--1",
                                           "1e",
                                           "NaN",
                                           "-"};
    return strange_ && odds(3) ? one_of(kOdd) : one_of(kPlain);
  }

  void any(std::size_t depth = 0) {
    switch (below(depth > 4 ? 5 : 7)) {
      case 0: out_ += one_of({"true", "false", "null"}); return;
      case 1:
        out_ += one_of({"1.0", "1.50", "1e3", "-0", "0.1", "1e+30", "-0.5", "12", "-7"});
        return;
      case 2: out_ += number(); return;
      case 3:
      case 4: return text();
      case 5:
        return list(
            '[', ']', [&] { any(depth + 1); }, 4);
      default: return object([&] { free_name(), any(depth + 1); }, strange_ && odds(40) ? 90 : 4);
    }
  }

  void colon() { space(), out_ += ':', space(); }
  /// Of an object that may have any: repeated now and then when that is allowed.
  void free_name() {
    if (strange_ && odds(3)) {
      out_ += one_of({"\"a\"", "\"b\"", "\"ab\"", "\"\"", "\"\\u0061\"", "\"x y\""});
    } else {
      out_ += "\"n" + std::to_string(next_++) + (odds(5) ? "é\"" : "\"");
    }
    colon();
  }

  void member() {
    static constexpr const char* kNames[] = {
        "flag",  "small",  "byte",    "big",  "huge", "single", "real", "text", "colour", "point",
        "maybe", "points", "numbers", "gaps", "bits", "counts", "data", "any",  "nobody", "Flag"};
    std::string name(one_of(kNames));
    if (!strange_ || !odds(8)) {  // otherwise it may be a repeated one
      while (names_.contains(name)) name += odds(2) ? "x" : "_more";
    }
    names_.insert(name);
    out_ += '"';
    out_ += strange_ && odds(20) ? "\\u0062" + name.substr(1) : name;
    out_ += '"';
    colon();
    if (odds(12)) return void(out_ += "null");
    if (strange_ && odds(12)) return any();
    value_of(name);
  }

  void value_of(const std::string& name) {
    if (name == "flag") return void(out_ += one_of({"true", "false"}));
    if (name == "colour") return void(out_ += one_of({"\"Red\"", "\"Green\"", "\"\\u0052ed\""}));
    if (name == "data") return void(out_ += one_of({"\"\"", "\"AAEC/w==\"", "\"AAEC\""}));
    if (name == "text") return text();
    if (name == "point") return point();
    if (name == "points")
      return list(
          '[', ']', [&] { point(); }, 5);
    if (name == "bits")
      return list(
          '[', ']',
          [&] {
            out_ += one_of({"true", "false"});
          },
          9);
    if (name == "counts") return object([&] { free_name(), out_ += number(); }, 5);
    if (name == "numbers" || name == "gaps") {
      return list(
          '[', ']', [&] { out_ += odds(6) ? "null" : number(); }, 5);
    }
    for (const char* numeric : {"small", "byte", "big", "huge", "single", "real", "maybe"}) {
      if (name == numeric) return void(out_ += name == "byte" || name == "huge" ? "7" : number());
    }
    any();
  }

  void point() {
    if (strange_ && odds(15)) return any();
    std::size_t at = 0;
    object(
        [&] {
          out_ += strange_ ? one_of({"\"x\"", "\"y\"", "\"z\""})
                           : std::array{"\"y\"", "\"z\"", "\"x\""}[at++];
          colon();
          out_ += number();
        },
        3);
  }

  void damage() {
    const std::size_t at = below(out_.size());
    switch (below(4)) {
      case 0: out_.resize(at); return;
      case 1: out_.erase(at, 1 + below(3)); return;
      case 2:
        out_.insert(at, one_of({",", "}", "{", "[", "]", "\"", "x", "0", "-", "e5", "\\"}));
        return;
      default: out_[at] = static_cast<char>(below(256)); return;
    }
  }

  std::mt19937_64 random_;
  bool strange_ = false;
  std::size_t next_ = 0;
  std::string out_;
  std::set<std::string> names_;
};

template <class T>
void check_both(std::string_view json, bool& straight, bool& through_values) {
  const codec::Descriptor& type = codec::descriptor_of<T>();
  T one{};
  T other{};
  straight = codec::read_straight(type, &one, json);
  through_values = codec::read_text(type, &other, json).ok();
  if (!straight) return;
  if (!through_values) FAIL("only read straight: " << json);
  if (to_json(one) != to_json(other)) {
    FAIL(json << " became straight " << to_json(one) << ", through values " << to_json(other));
  }
}

TEST_CASE("whole documents are all read straight, and as through values") {
  constexpr int kDocuments = 20000;
  Documents documents(1);
  int read = 0;
  for (int i = 0; i < kDocuments; ++i) {
    const std::string json = documents.make(false);
    bool straight = false;
    bool through_values = false;
    check_both<Everything>(json, straight, through_values);
    if (!straight || !through_values) FAIL("not read: " << json);
    ++read;
  }
  CHECK(read == kDocuments);
}

TEST_CASE("of strange and damaged documents nothing is read straight that values refuse") {
  Documents documents(2);
  int both = 0;
  int neither = 0;
  int only_values = 0;
  for (int i = 0; i < 40000; ++i) {
    const std::string json = documents.make(true);
    bool straight = false;
    bool through_values = false;
    check_both<Json>(json, straight, through_values);
    check_both<std::map<std::string, Json>>(json, straight, through_values);
    check_both<samples::Node>(json, straight, through_values);
    check_both<Everything>(json, straight, through_values);
    ++(straight ? both : through_values ? only_values : neither);
  }
  CAPTURE(both, neither, only_values);
  CHECK(both > 4000);
  CHECK(neither > 4000);
  CHECK(only_values > 40);  // repeated members
}

struct Pinned {
  const char* what;
  std::string json;
  bool straight;
};

std::string many_members(int count) {
  std::string json = R"({"any":{)";
  for (int i = 0; i < count; ++i) json += (i != 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":1";
  return json + "}}";
}

const Pinned kPinned[] = {
    {"a repeated member", R"({"point":{"x":5},"point":{"y":6}})", false},
    {"a repeated member that is null", R"({"big":1,"big":null})", false},
    {"a repeated member, once with an escape", R"({"big":1,"bi\u0067":2})", false},
    {"a repeated member that is unknown", R"({"nobody":1,"nobody":2,"big":3})", true},
    {"a repeated key of a map", R"({"counts":{"a":1,"b":2,"a":3}})", false},
    {"a repeated name inside any JSON", R"({"any":{"a":1,"b":[{"c":1,"c":2}],"a":2}})", true},
    {"the same, once with an escape", R"({"any":{"a":1,"\u0061":2}})", true},
    {"the same names in several objects", R"({"any":[{"a":{"a":1}},{"a":2}]})", true},
    {"any JSON with many members", many_members(100), true},
    {"a member whose first value is wrong", R"({"big":"x","big":2})", false},
    {"any JSON in another form", R"( {"any": [ 1.50, -0 , 1E2, "\u0041\/" , { } ] } )", true},
    {"null for members", R"({"any":null,"text":null,"maybe":null,"points":null})", true},
    {"a number too large in what nobody reads", R"({"nobody":1e400})", false},
    {"64 levels in what nobody reads",
     R"({"a":)" + std::string(63, '[') + std::string(63, ']') + "}", true},
    {"65 levels in what nobody reads",
     R"({"a":)" + std::string(64, '[') + std::string(64, ']') + "}", false},
    {"text after the value", "{} {}", false},
};

TEST_CASE("which way documents are read") {
  for (const Pinned& row : kPinned) {
    CAPTURE(row.what);
    bool straight = false;
    bool through_values = false;
    check_both<Everything>(row.json, straight, through_values);
    CHECK(straight == row.straight);
    const auto value = from_json<Everything>(row.json);
    Everything other;
    const auto reference = codec::read_text(codec::descriptor_of<Everything>(), &other, row.json);
    REQUIRE(value.ok() == reference.ok());
    if (value.ok()) {
      CHECK(to_json(*value) == to_json(other));
    } else {
      CHECK(value.error().message == reference.error().message);
    }
  }
}

TEST_CASE(
    "each value that is read another way makes room for itself, and not for all that follows") {
  std::string json = "[";
  for (int i = 0; i < 1000; ++i) json += R"({"\n":1},)";
  json.back() = ']';
  room_made = 0;
  const auto values = from_json<std::vector<Json>>(json);
  const std::size_t made = room_made;
  REQUIRE(values.ok());
  CHECK(values->size() == 1000);
  CHECK(values->back().text == R"({"\n":1})");
  CHECK(made < 2 * json.size());
}

}  // namespace
}  // namespace gantry
