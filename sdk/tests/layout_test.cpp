// SPDX-License-Identifier: Apache-2.0
//
// Layout hashes, and reading a message in place or through JSON.
#include <catch2/catch.hpp>
#include <gantry/codec.hpp>

#include "samples.hpp"

namespace gantry {
namespace {

// Each namespace holds another build's view of the same contract struct.
#define GANTRY_SAMPLE(build, members, list) \
  namespace build {                         \
  struct Greeting members;                  \
  BOOST_DESCRIBE_STRUCT(Greeting, (), list) \
  }
GANTRY_SAMPLE(
    original,
    {
      std::string name;
      std::int32_t count = 1;
    },
    (name, count))
GANTRY_SAMPLE(
    same,
    {
      std::string name;
      std::int32_t count = 1;
    },
    (name, count))
GANTRY_SAMPLE(
    other_default,
    {
      std::string name;
      std::int32_t count = 5;
    },
    (name, count))
GANTRY_SAMPLE(
    renamed,
    {
      std::string name;
      std::int32_t number = 1;
    },
    (name, number))
GANTRY_SAMPLE(
    reordered,
    {
      std::int32_t count = 1;
      std::string name;
    },
    (count, name))
GANTRY_SAMPLE(
    described_reordered,
    {
      std::string name;
      std::int32_t count = 1;
    },
    (count, name))
GANTRY_SAMPLE(
    longer,
    {
      std::string name;
      std::int32_t count = 1;
      std::string extra = "e";
    },
    (name, count, extra))
GANTRY_SAMPLE(
    wider,
    {
      std::string name;
      std::int64_t count = 1;
    },
    (name, count))
GANTRY_SAMPLE(
    other_sign,
    {
      std::string name;
      std::uint32_t count = 1;
    },
    (name, count))
GANTRY_SAMPLE(
    other_kind,
    {
      std::string name;
      float count = 1;
    },
    (name, count))
GANTRY_SAMPLE(
    maybe,
    {
      std::string name;
      std::optional<std::int32_t> count;
    },
    (name, count))
#undef GANTRY_SAMPLE

namespace few_colours {
enum class Colour : std::uint8_t { Red, Green };
BOOST_DESCRIBE_ENUM(Colour, Red, Green)
}  // namespace few_colours
namespace more_colours {
enum class Colour : std::uint8_t { Red, Green, Blue };
BOOST_DESCRIBE_ENUM(Colour, Red, Green, Blue)
}  // namespace more_colours
namespace swapped_colours {
enum class Colour : std::uint8_t { Green, Red };
BOOST_DESCRIBE_ENUM(Colour, Green, Red)
}  // namespace swapped_colours

namespace shallow {
struct Node {
  std::string name;
  std::vector<Node> children;
};
BOOST_DESCRIBE_STRUCT(Node, (), (name, children))
}  // namespace shallow
namespace not_recursive {
struct Leaf {
  std::string name;
  std::vector<std::string> children;
};
BOOST_DESCRIBE_STRUCT(Leaf, (), (name, children))
struct Node {
  std::string name;
  std::vector<Leaf> children;
};
BOOST_DESCRIBE_STRUCT(Node, (), (name, children))
}  // namespace not_recursive
namespace mutual {
struct Edge;
struct Node {
  std::vector<Edge> edges;
};
struct Edge {
  std::vector<Node> to;
};
BOOST_DESCRIBE_STRUCT(Node, (), (edges))
BOOST_DESCRIBE_STRUCT(Edge, (), (to))
}  // namespace mutual

template <class T>
std::uint64_t hash() {
  return type_of<T>().layout_hash;
}

TEST_CASE("the id of a contract is the FNV-1a hash of its name") {
  // The first three are published test vectors of FNV-1a 64.
  CHECK(contract_id("") == 0xcbf29ce484222325ULL);
  CHECK(contract_id("a") == 0xaf63dc4c8601ec8cULL);
  CHECK(contract_id("foobar") == 0x85944171f73967e8ULL);
  CHECK(contract_id("gantry.window.list/1") != contract_id("gantry.window.list/2"));
}

TEST_CASE("equal layouts have equal hashes, and only they") {
  const std::uint64_t mine = hash<original::Greeting>();
  CHECK(hash<same::Greeting>() == mine);
  CHECK(hash<other_default::Greeting>() == mine);  // a default is not part of an object
  CHECK(hash<renamed::Greeting>() != mine);
  CHECK(hash<reordered::Greeting>() != mine);
  CHECK(hash<described_reordered::Greeting>() != mine);
  CHECK(hash<longer::Greeting>() != mine);
  CHECK(hash<wider::Greeting>() != mine);
  CHECK(hash<other_sign::Greeting>() != mine);
  CHECK(hash<other_kind::Greeting>() != mine);
  CHECK(hash<maybe::Greeting>() != mine);
}

TEST_CASE("enumerators and their values are part of the layout") {
  const auto mine = codec::layout_hash<samples::Colour>();
  CHECK(codec::layout_hash<few_colours::Colour>() == mine);
  CHECK(codec::layout_hash<more_colours::Colour>() != mine);
  CHECK(codec::layout_hash<swapped_colours::Colour>() != mine);
}

TEST_CASE("recursive types have a hash") {
  CHECK(hash<samples::Node>() == hash<shallow::Node>());
  CHECK(hash<samples::Node>() != hash<not_recursive::Node>());
  CHECK(hash<mutual::Node>() != hash<mutual::Edge>());
}

TEST_CASE("the description of a type carries its bare name") {
  CHECK(view(type_of<original::Greeting>().name) == "Greeting");
  CHECK(view(type_of<samples::Node>().name) == "Node");
}

TEST_CASE("a message of the same layout is read in place") {
  const auto sent = make_body(original::Greeting{"Ann", 3});
  const auto got = read_body<same::Greeting>(sent.body());
  REQUIRE(got.ok());
  CHECK(got->body() == sent.body());
  CHECK((*got)->name == "Ann");
}

TEST_CASE("a message of another layout goes through JSON") {
  const auto sent = make_body(original::Greeting{"Ann", 3});
  const auto got = read_body<longer::Greeting>(sent.body());
  REQUIRE(got.ok());
  CHECK(got->body() != sent.body());
  CHECK((*got)->name == "Ann");
  CHECK((*got)->count == 3);
  CHECK((*got)->extra == "e");  // the sender does not know it
  CHECK((*read_body<reordered::Greeting>(sent.body()))->count == 3);
  const auto back = read_body<original::Greeting>(make_body(longer::Greeting{"B", 4, "x"}).body());
  CHECK((*back)->count == 4);
}

TEST_CASE("a message of another layout that does not fit says why") {
  const auto sent = make_body(wider::Greeting{"Ann", 1LL << 40});
  const auto got = read_body<original::Greeting>(sent.body());
  REQUIRE_FALSE(got.ok());
  CHECK(got.error().code == Code::InvalidArgument);
  CHECK(got.error().message == "$.count: the integer is out of range");
}

TEST_CASE("JSON bodies are read by any type") {
  gantry_body body{};
  body.size = sizeof body;
  body.json = to_str(R"({"name":"C"})");
  body.retain = [](void*) {};
  body.release = [](void*) {};
  CHECK((*read_body<original::Greeting>(&body))->name == "C");
  body.json = to_str("{");
  CHECK(read_body<original::Greeting>(&body).error().code == Code::InvalidArgument);
  CHECK(read_body<original::Greeting>(nullptr).error().code == Code::Internal);
}

TEST_CASE("a message lives until the last reader is gone") {
  int released = 0;
  const std::uint8_t byte = 1;
  samples::Everything value;
  value.data = Buffer::wrap({&byte, 1}, [&] { ++released; });
  {
    Ref<samples::Everything> reader;
    {
      const auto sent = make_body(std::move(value));
      reader = *read_body<samples::Everything>(sent.body());
      CHECK(reader->data.data() == &byte);
    }
    CHECK(released == 0);
  }
  CHECK(released == 1);
}

}  // namespace
}  // namespace gantry
