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

TEST_CASE("a server's words cannot act on a terminal or turn themselves around") {
  CHECK(told_words("no\x1b[31m model\x1b]0;title\x07", "") == "no model");
  CHECK(told_words("a\u202Eb\u2066c\u2069", "") == "abc");
  CHECK(told_words("a\x7F\u009Bb\U000E0041", "") == "ab");
  CHECK(told_words("wrong: se\u202Ecr\x08\u2066et1", "secret1") == "wrong: ***");
  CHECK(told_words("größer “so” עברית", "") == "größer “so” עברית");
}
