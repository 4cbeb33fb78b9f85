// SPDX-License-Identifier: Apache-2.0
#include <gantry/embedding/vectors.hpp>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace gantry::embedding {
namespace {

std::string text_of(const std::vector<float>& vector) {
  std::string out;
  append_vector(vector, out);
  return out;
}

TEST_CASE("a vector is written in its shortest digits, and what is no number is 0") {
  CHECK(text_of({}) == "[]");
  CHECK(text_of({0.1F, -0.25F, 1, 1e-9F}) == "[0.1,-0.25,1,1e-09]");
  CHECK(text_of({std::nanf(""), std::numeric_limits<float>::infinity(), 2}) == "[0,0,2]");
}

TEST_CASE("every float comes back as it was") {
  std::mt19937 bits(7);
  std::vector<float> vector;
  while (vector.size() < 2000) {
    const auto value = static_cast<float>(
        std::ldexp(static_cast<double>(bits()) - 2147483648.0, static_cast<int>(bits() % 80) - 60));
    vector.push_back(value);
  }
  const auto read = boost::json::parse(text_of(vector)).as_array();
  REQUIRE(read.size() == vector.size());
  for (std::size_t i = 0; i < vector.size(); ++i) {
    CHECK(static_cast<float>(read[i].to_number<double>()) == vector[i]);
  }
}

TEST_CASE("a vector gets the length 1, unless it has none") {
  std::vector<float> vector{3, 4};
  normalise(vector);
  CHECK(vector == std::vector<float>{0.6F, 0.8F});
  std::vector<float> nothing(3, 0);
  normalise(nothing);
  CHECK(nothing == std::vector<float>(3, 0));
}

}  // namespace
}  // namespace gantry::embedding
