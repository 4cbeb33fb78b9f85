// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <gantry/http/told.hpp>

using gantry::http::told_words;

TEST_CASE("a server's words are told without keys, controls and too much") {
  CHECK(told_words("Incorrect key k-1234567890.", "k-1234567890") == "Incorrect key ***.");
  CHECK(told_words("sk-proj-abcdefghijkl is wrong", "") == "*** is wrong");
  CHECK(told_words("Incorrect: sk-abcd****wxyz", "other") == "Incorrect: ***");
  CHECK(told_words("two\nlines", "") == "two lines");
  CHECK(told_words("5 * 3", "*") == "5 *** 3");
  CHECK(told_words("a***b", "***") == "a***b");
  CHECK(told_words("größer", "", 3) == "gr…");
}
