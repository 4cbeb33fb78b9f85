// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <gantry/codec.hpp>

#include <bit>
#include <boost/describe/enum.hpp>
#include <cmath>
#include <random>

#include "samples.hpp"

namespace gantry {
namespace {

using samples::Colour;
using samples::Everything;

// ---- what is accepted, and what it becomes ------------------------------------------------------

struct Accepted {
  const char* what;
  const char* json;       // an Everything
  const char* rewritten;  // part of what to_json() makes of it
};

const Accepted kAccepted[] = {
    {"nothing but defaults", "{}", R"("text":"default","colour":"Green")"},
    {"null keeps the default", R"({"text":null,"point":null})", R"("point":{"x":1,"y":2})"},
    {"unknown members are ignored", R"({"nobody":{"knows":[1,2]},"flag":true})", R"("flag":true)"},
    {"the last of repeated members counts", R"({"big":1,"big":2})", R"("big":2)"},
    {"smallest and largest integers", R"({"big":-9223372036854775808,"huge":18446744073709551615})",
     R"("big":-9223372036854775808,"huge":18446744073709551615)"},
    {"5.0 is an integer", R"({"big":5.0})", R"("big":5,)"},
    {"1e3 is an integer", R"({"big":1e3})", R"("big":1000,)"},
    {"-0 is zero", R"({"big":-0,"huge":-0})", R"("big":0,"huge":0)"},
    {"a negative zero stays one", R"({"real":-0.0})", R"("real":-0.0)"},
    {"an integer becomes a double", R"({"real":7})", R"("real":7.0)"},
    {"2^64 becomes a double", R"({"real":18446744073709551616})",
     R"("real":18446744073709551616.0)"},
    {"the smallest double", R"({"real":5e-324})", R"("real":5e-324)"},
    {"what is smaller is zero", R"({"real":1e-400})", R"("real":0.0)"},
    {"by the smallest exponent", R"({"real":0.09e-9223372036854775807})", R"("real":0.0)"},
    {"the largest double", R"({"real":1.7976931348623157e308})",
     R"("real":1.7976931348623157e+308)"},
    {"escapes", R"({"text":"\u0041\n\"\\\/\u00e9"})", R"("text":"A\n\"\\/é")"},
    {"a surrogate pair", R"({"text":"\ud83d\ude00"})", R"("text":"😀")"},
    {"NUL inside text", R"({"text":"a\u0000b"})", R"("text":"a\u0000b")"},
    {"control characters are escaped", "{\"text\":\"\\u001f\\u007f\"}", "\"text\":\"\\u001f\x7f\""},
    {"enum by name", R"({"colour":"Red"})", R"("colour":"Red")"},
    {"optional present", R"({"maybe":3})", R"("maybe":3,)"},
    {"null in a list of optionals", R"({"gaps":[1,null,3]})", R"("gaps":[1,null,3])"},
    {"booleans in a list", R"({"bits":[true,false]})", R"("bits":[true,false])"},
    {"a map", R"({"counts":{"b":2,"a":1}})", R"("counts":{"a":1,"b":2})"},
    {"base64", R"({"data":"AAEC/w=="})", R"("data":"AAEC/w==")"},
    {"any JSON keeps its form and order", R"({"any":{"z":1.0,"a":[1,-0.5,1e30,null,"é"]}})",
     R"("any":{"z":1.0,"a":[1,-0.5,1e+30,null,"é"]})"},
    {"white space", " {\n\t\"big\" : 4 }\r\n", R"("big":4)"},
    {"63 levels inside", nullptr, nullptr},  // built below
};

std::string nested(int levels) {
  return R"({"any":)" + std::string(static_cast<std::size_t>(levels), '[') +
         std::string(static_cast<std::size_t>(levels), ']') + "}";
}

TEST_CASE("what the decoder accepts") {
  for (const Accepted& row : kAccepted) {
    CAPTURE(row.what);
    const std::string json = row.json != nullptr ? row.json : nested(63);
    const auto value = from_json<Everything>(json);
    if (!value.ok()) FAIL(value.error().message);
    const std::string again = to_json(*value);
    if (row.rewritten != nullptr) CHECK_THAT(again, Catch::Contains(row.rewritten));
    const auto reread = from_json<Everything>(again);
    REQUIRE(reread.ok());
    CHECK(to_json(*reread) == again);
  }
}

// ---- what is refused, and how that reads --------------------------------------------------------

struct Refused {
  const char* what;
  std::string json;
  const char* message;  // part of it
};

const Refused kRefused[] = {
    {"nothing", "", "not valid JSON: "},
    {"text after the value", "{} x", "at byte 3 of 4"},
    {"two values", "{}{}", "not valid JSON"},
    {"a trailing comma", R"({"big":1,})", "not valid JSON"},
    {"a comment", "{/**/}", "not valid JSON"},
    {"single quotes", "{'big':1}", "not valid JSON"},
    {"a leading zero", R"({"big":01})", "not valid JSON"},
    {"a plus sign", R"({"big":+1})", "not valid JSON"},
    {"NaN", R"({"real":NaN})", "not valid JSON"},
    {"Infinity", R"({"real":Infinity})", "not valid JSON"},
    {"a number no double can hold", R"({"real":1e400})", "not valid JSON: "},
    {"by the largest exponent", R"({"real":99e9223372036854775807})", "not valid JSON: "},
    {"such a number where anything goes", R"({"any":-1e999})", "not valid JSON: "},
    {"a control character", "{\"text\":\"a\nb\"}", "not valid JSON"},
    {"a byte order mark", "\xEF\xBB\xBF{}", "not valid JSON"},
    {"a lone leading surrogate", R"({"text":"\ud83d"})", "not valid JSON"},
    {"a lone trailing surrogate", R"({"text":"\ude00"})", "not valid JSON"},
    {"a stray continuation byte", "{\"text\":\"\x80\"}", "not valid JSON"},
    {"an overlong slash", "{\"text\":\"\xC0\xAF\"}", "not valid JSON"},
    {"a surrogate in UTF-8", "{\"text\":\"\xED\xA0\x80\"}", "not valid JSON"},
    {"a cut sequence", "{\"text\":\"\xE2\x82\"}", "not valid JSON"},
    {"beyond U+10FFFF", "{\"text\":\"\xF4\x90\x80\x80\"}", "not valid JSON"},
    {"64 levels inside", nested(64), "not valid JSON"},
    {"100000 levels", std::string(100000, '['), "not valid JSON"},
    {"not an object", "[]", "$: expected an object, found an array"},
    {"text for a number", R"({"big":"5"})", "$.big: expected an integer, found a string"},
    {"a fraction for an integer", R"({"big":1.5})", "$.big: expected an integer, found a number"},
    {"2^63", R"({"big":9223372036854775808})", "$.big: the integer is too large"},
    {"2^64", R"({"huge":18446744073709551616})", "$.huge: the integer is out of range"},
    {"-2^63 - 1", R"({"big":-9223372036854775809})", "$.big: the integer is out of range"},
    {"a negative unsigned", R"({"huge":-1})", "$.huge: the integer is out of range"},
    {"an int8 too large", R"({"small":128})", "$.small: the integer is out of range"},
    {"a uint8 too large", R"({"byte":256})", "$.byte: the integer is out of range"},
    {"an inexact integer", R"({"big":1e17})", "$.big: expected an integer"},
    {"a float too large", R"({"single":1e39})", "$.single: the number is too large"},
    {"a number for a boolean", R"({"flag":1})", "$.flag: expected true or false"},
    {"an unknown enumerator", R"({"colour":"Blue"})", "$.colour: expected one of Red, Green"},
    {"an enumerator with a tail", R"({"colour":"Red\u0000x"})", "expected one of Red, Green"},
    {"deep inside", R"({"points":[{},{"x":"?"}]})", "$.points[1].x: expected an integer"},
    {"in a map", R"({"counts":{"a b":null,"c":true}})", R"($.counts."a b": expected an integer)"},
    {"null in a list", R"({"points":[null]})", "$.points[0]: expected an object, found null"},
    {"base64 of a bad length", R"({"data":"AAE"})", "$.data: base64"},
    {"base64 with other letters", R"({"data":"AA-_"})", "$.data: not base64"},
    {"base64 padding in the middle", R"({"data":"AA==AAAA"})", "$.data: not base64"},
    {"base64 with bits to spare", R"({"data":"AB=="})", "$.data: not canonical"},
};

TEST_CASE("what the decoder refuses, naming the place") {
  for (const Refused& row : kRefused) {
    CAPTURE(row.what);
    const auto value = from_json<Everything>(row.json);
    REQUIRE_FALSE(value.ok());
    CHECK(value.error().code == Code::InvalidArgument);
    CHECK_THAT(value.error().message, Catch::Contains(row.message));
  }
}

// ---- the other direction ------------------------------------------------------------------------

TEST_CASE("every member comes back as it was") {
  Everything value;
  value.flag = true;
  value.small = -128;
  value.byte = 255;
  value.big = INT64_MIN;
  value.huge = UINT64_MAX;
  value.single = 0.1F;
  value.real = 0.1;
  value.text = "quote \" slash \\ tab \t é 😀";
  value.colour = Colour::Red;
  value.maybe = -1;
  value.points = {{3, 4}, {}};
  value.numbers = {0.0, -0.0, 1e300, 5e-324};
  value.gaps = {1, std::nullopt};
  value.bits = {true, false, true};
  value.counts = {{"", 1}, {"ключ", -2}};
  value.data = Buffer::copy(std::string_view("\0\x01\xff", 3));
  value.any = Json(R"({"a":[1,2.5,"x",null,true]})");
  const auto again = from_json<Everything>(to_json(value));
  REQUIRE(again.ok());
  CHECK(*again == value);
}

TEST_CASE("doubles are exact, whatever they are") {
  std::mt19937_64 random(42);
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t bits = random();
    const auto before = std::bit_cast<double>(bits);
    if (!std::isfinite(before)) continue;
    Everything value;
    std::string json = R"({"real":)";
    codec::write_double(json, before);
    const auto after = from_json<Everything>(json + "}");
    REQUIRE(after.ok());
    if (std::bit_cast<std::uint64_t>(after->real) != bits) {
      FAIL("wrote " << json << ", read " << after->real);
    }
  }
}

TEST_CASE("what JSON cannot say is said as well as it can") {
  Everything value;
  value.real = std::numeric_limits<double>::infinity();
  value.numbers = {std::numeric_limits<double>::quiet_NaN(), 1};
  value.text = "bad \xff\xfe end";
  value.any.text.clear();
  const std::string json = to_json(value);
  CHECK_THAT(json, Catch::Contains(R"("real":null)") && Catch::Contains(R"("numbers":[null,1.0])"));
  CHECK_THAT(json, Catch::Contains("bad \xEF\xBF\xBD\xEF\xBF\xBD end"));
  CHECK_THAT(json, Catch::Contains(R"("any":null)"));
  const auto again = from_json<Everything>(json);
  REQUIRE(again.ok());
  CHECK(std::isnan(again->numbers[0]));
}

TEST_CASE("what must be escaped is escaped wherever it stands, and nothing else is changed") {
  for (std::size_t length = 1; length <= 20; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      for (int byte = 0; byte < 0x80; ++byte) {
        std::string text(length, ' ');  // the smallest that needs no escape
        text[at] = static_cast<char>(byte);
        std::string written;
        codec::write_string(written, text);
        const bool plain = byte >= 0x20 && byte != '"' && byte != '\\';
        const std::string before = '"' + text.substr(0, at);
        const std::string after = text.substr(at + 1) + '"';
        INFO("byte " << byte << " at " << at << " of " << length);
        REQUIRE(written.starts_with(before));
        REQUIRE(written.ends_with(after));
        const std::string middle =
            written.substr(before.size(), written.size() - before.size() - after.size());
        REQUIRE((middle == std::string(1, static_cast<char>(byte))) == plain);
        REQUIRE((middle.front() == '\\') == !plain);
      }
    }
  }
  std::string written;
  codec::write_string(written, "1234567\xC3\xA9 1234567\xFF 12345678\xF0\x9F\x98\x80");
  CHECK(written == "\"1234567\xC3\xA9 1234567\xEF\xBF\xBD 12345678\xF0\x9F\x98\x80\"");
}

TEST_CASE("long texts are written whole, whatever stands where a piece of them ends") {
  for (std::size_t before = 990; before < 1060; ++before) {
    const std::string plain(before, 'x');
    std::string written = "[";
    codec::write_string(written, plain + "\"\u00e9\n\x01\u20ac\xF0\x9F\x98\x80 and more\xFF");
    const std::string expected =
        "[\"" + plain + "\\\"\u00e9\\n\\u0001\u20ac\xF0\x9F\x98\x80 and more\xEF\xBF\xBD\"";
    if (written != expected) FAIL("after " << before << " bytes: " << written);
  }
  for (std::size_t length = 1000; length < 2100; ++length) {
    std::string letters;
    for (std::size_t i = 0; i < length; ++i) letters += static_cast<char>('a' + i % 26);
    std::string written;
    codec::write_string(written, letters);
    if (written != '"' + letters + '"') FAIL(length << " letters became " << written);
  }
  for (std::size_t before = 0; before < 12; ++before) {
    std::string letters(before, 'x');
    for (int i = 0; i < 1000; ++i) letters += "\u20ac";
    std::string written;
    codec::write_string(written, letters);
    CHECK(written == '"' + letters + '"');
  }
  Everything value;
  for (int i = 0; i < 700; ++i) {
    value.numbers.push_back(i % 3 != 0 ? -i / 8.0 : i * 1e250);
    value.gaps.push_back(i % 5 != 0 ? std::optional(i * 1001) : std::nullopt);
    value.counts["key " + std::to_string(i)] = -i;
    value.bits.push_back(i % 2 != 0);
  }
  value.data = Buffer::of(std::string(3000, 'z'));
  value.any = Json("[\"" + std::string(5000, 'y') + "\"]");
  const auto again = from_json<Everything>(to_json(value));
  REQUIRE(again.ok());
  CHECK(*again == value);
}

enum class Level : std::int8_t { Low = -1, High = 127 };
BOOST_DESCRIBE_ENUM(Level, Low, High)
enum class Wide : std::uint8_t { Small = 1, Large = 255 };
BOOST_DESCRIBE_ENUM(Wide, Small, Large)

TEST_CASE("enumerators are written by name, negative and large ones too") {
  CHECK(to_json(std::vector{Level::Low, Level::High}) == R"(["Low","High"])");
  CHECK(to_json(std::vector{Wide::Small, Wide::Large}) == R"(["Small","Large"])");
  CHECK(to_json(static_cast<Wide>(7)) == R"("unknown")");
  CHECK(from_json<Level>(R"("Low")").value() == Level::Low);
}

TEST_CASE("base64 of every length") {
  std::string bytes;
  for (int length = 0; length < 70; ++length) {
    std::string text;
    codec::write_base64(text, Buffer::copy(bytes).bytes());
    const auto back = codec::read_base64(std::string_view(text).substr(1, text.size() - 2));
    REQUIRE(back.ok());
    CHECK(std::string(back->begin(), back->end()) == bytes);
    bytes += static_cast<char>(length * 37);
  }
}

TEST_CASE("inherited members are members") {
  samples::Derived value;
  value.id = 3;
  value.name = "x";
  CHECK(to_json(value) == R"({"id":3,"name":"x"})");
  CHECK(from_json<samples::Derived>(R"({"name":"y","id":4})")->id == 4);
}

TEST_CASE("a recursive type is read and written") {
  const auto tree = from_json<samples::Node>(
      R"({"name":"a","children":[{"name":"b"},{"children":[{"name":"c"}]}]})");
  REQUIRE(tree.ok());
  CHECK(tree->children[1].children[0].name == "c");
  CHECK(from_json<samples::Node>(R"({"children":[{"children":[{"name":1}]}]})").error().message ==
        "$.children[0].children[0].name: expected a string, found an integer");
}

TEST_CASE("the schema says what the decoder does") {
  const gantry_type& type = type_of<Everything>();
  const std::string schema(view(type.schema()));
  CHECK_THAT(schema,
             Catch::StartsWith(R"({"$schema":"https://json-schema.org/draft/2020-12/schema",)"
                               R"("title":"Everything","type":"object","properties":{)"));
  for (const char* part :
       {R"("small":{"type":"integer","minimum":-128,"maximum":127})",
        R"("colour":{"enum":["Red","Green"]})", R"("maybe":{"type":"integer")",
        R"("points":{"type":"array","items":{"type":"object","properties":{"x":{)",
        R"("data":{"type":"string","contentEncoding":"base64"})", R"("any":true)",
        R"("counts":{"type":"object","additionalProperties":{"type":"integer")"}) {
    CHECK_THAT(schema, Catch::Contains(part));
  }
  CHECK_THAT(std::string(view(type_of<samples::Node>().schema())),
             Catch::Contains(R"("children":{"type":"array","items":{"$ref":"#"}})"));
}

TEST_CASE("the weight follows the content") {
  const gantry_type& type = type_of<Everything>();
  Everything value;
  value.text.clear();
  const std::size_t empty = type.weight(&value);
  value.data = Buffer::of(std::string(1000, 'x'));
  value.text = std::string(100, 'y');
  value.points.resize(10);
  CHECK(type.weight(&value) == empty + 1000 + 100 + 10 * sizeof(samples::Point));
}

}  // namespace
}  // namespace gantry
