// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include <string>

#include "line_index.hpp"
#include "unified_diff.hpp"

using namespace gantry;
using namespace gantry::files;

namespace {

const std::string kHead = "--- a/x\n+++ b/x\n";

std::string refused(const std::string& patch) {
  const auto parsed = parse_diff(patch);
  REQUIRE_FALSE(parsed.ok());
  CHECK(parsed.error().code == Code::InvalidArgument);
  return parsed.error().message;
}

Result<std::string> applied(const std::string& content, const std::string& hunks) {
  const auto parsed = parse_diff(kHead + hunks);
  INFO(hunks);
  if (!parsed.ok()) return parsed.error();
  return apply_hunks(content, parsed->front().hunks);
}

struct RefusalCase {
  const char* patch;
  const char* says;
};

constexpr RefusalCase kRefusals[] = {
    {"", "has no file"},
    {"hello\n", "line 1 of the patch: '--- a/path' was expected; found 'hello'"},
    {"--- a/x\n", "'+++ b/path' was expected"},
    {"--- a/x\n+++ b/x\n", "'@@ -line,count +line,count @@' was expected"},
    {"--- a/x\n+++ b/x\n@@ -1 +1\n-a\n+b\n", "'@@ -line"},
    {"--- a/x\n+++ b/x\n@@ -0,1 +1 @@\n-a\n+b\n", "lines are counted from 1"},
    {"--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n+b\n", "fewer lines than its head says"},
    {"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n-b\n+b\n", "more lines than its head says"},
    {"--- a/x\n+++ b/x\n@@ -1 +1 @@\n*a\n", "begins with blank, - or +"},
    {"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\ntrailing\n", "'--- a/path' was expected"},
    {"--- a/x\n+++ b/x\n@@ -1 +1 @@\n\\ No newline\n-a\n+b\n", "follows no line"},
    {"--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n a\n-\n\\ No newline\n", "follows an empty line"},
    {"--- a/x\n+++ b/x\n@@ -99999999999 +1 @@\n-a\n+b\n", "'@@ -line"},
    {"--- a/x\n+++ b/x\n@@ -1,0 +1,0 @@\n", "'@@ -line"},
    {"--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "renames cannot be applied"},
    {"--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "both sides"},
    {"--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "a new file has no old lines"},
    {"--- a/x\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "a removed file has no new lines"},
    {"--- \"a/x\"\n+++ \"b/x\"\n@@ -1 +1 @@\n-a\n+b\n", "a plain path"},
    {"--- a/x\r\r\n+++ b/x\r\r\n@@ -1 +1 @@\n-a\n+b\n", "a plain path"},
    {"diff --git a/x b/y\nrename from x\nrename to y\n", "renames cannot be applied"},
    {"diff --git a/x b/x\nold mode 1\nnew mode 2\n", "changes of modes"},
    {"Binary files a/x and b/x differ\n", "binary files"},
};

}  // namespace

TEST_CASE("a diff of git is read") {
  const auto parsed = parse_diff(
      "diff --git a/src/x.c b/src/x.c\nindex 83db48f..bf2a4c1 100644\n--- a/src/x.c\t2026-01-01\n"
      "+++ b/src/x.c\n@@ -10,3 +10,4 @@ int main(void)\n one\n-two\n+2\n+2.5\n three\n");
  REQUIRE(parsed.ok());
  REQUIRE(parsed->size() == 1);
  const FileDiff& file = parsed->front();
  CHECK(file.old_path == "src/x.c");
  REQUIRE(file.hunks.size() == 1);
  CHECK(file.hunks[0].old_start == 10);
  CHECK(file.hunks[0].new_count == 4);
  CHECK(file.hunks[0].lines.size() == 5);
}

TEST_CASE("what is no diff is refused with its line") {
  for (const RefusalCase& c : kRefusals) {
    INFO(c.patch);
    CHECK(refused(c.patch).find(c.says) != std::string::npos);
  }
  const std::string twice = kHead + "@@ -1 +1 @@\n-a\n+b\n";
  CHECK(refused(twice + twice).find("in the patch twice") != std::string::npos);
}

TEST_CASE("what is read is written the same") {
  const std::string text =
      "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n\\ No newline at end of file\n"
      "@@ -9 +8,0 @@\n-z\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+n\n";
  const auto parsed = parse_diff(text);
  REQUIRE(parsed.ok());
  CHECK(diff_text(*parsed) == text);
}

TEST_CASE("hunks are applied where they say") {
  CHECK(*applied("a\nb\nc\n", "@@ -2 +2 @@\n-b\n+B\n") == "a\nB\nc\n");
  CHECK(*applied("a\nb\n", "@@ -0,0 +1 @@\n+top\n") == "top\na\nb\n");
  CHECK(*applied("a\nb\n", "@@ -2,0 +3 @@\n+end\n") == "a\nb\nend\n");
  CHECK(*applied("a\nb\n", "@@ -1,0 +2 @@\n+mid\n") == "a\nmid\nb\n");
  CHECK(applied("a\nb\n", "@@ -1,2 +0,0 @@\n-a\n-b\n")->empty());
  CHECK(*applied("a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n") == "a\n\nB\n");
}

TEST_CASE("hunks are found where lines were added above, the nearest first") {
  CHECK(*applied("new\nnew\na\nb\n", "@@ -2 +2 @@\n-b\n+B\n") == "new\nnew\na\nB\n");
  CHECK(*applied("x\n1\n2\n3\n4\nx\n", "@@ -5 +5 @@\n-x\n+y\n") == "x\n1\n2\n3\n4\ny\n");
  // The second goes with the first.
  CHECK(*applied("new\nb\nx\nx\nb\n", "@@ -1 +1 @@\n-b\n+B\n@@ -4 +4 @@\n-b\n+C\n") ==
        "new\nB\nx\nx\nC\n");
}

TEST_CASE("hunks never go back behind the one before") {
  const auto back = applied("a\nb\n", "@@ -2 +2 @@\n-b\n+B\n@@ -1 +1 @@\n-a\n+A\n");
  REQUIRE_FALSE(back.ok());
  CHECK(back.error().code == Code::FailedPrecondition);
}

TEST_CASE("what does not fit says where") {
  const auto wrong = applied("a\nb\nc\n", "@@ -1,2 +1,2 @@\n a\n-x\n+y\n");
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().message ==
        "hunk 1 does not fit: line 2 is 'b', expected 'x'; read the file again");
  CHECK(applied("a\n", "@@ -1,2 +1 @@\n a\n-b\n").error().message.find("behind the end") !=
        std::string::npos);
  CHECK_FALSE(applied("", "@@ -1 +1 @@\n-a\n+b\n").ok());
}

TEST_CASE("a missing last newline is respected") {
  const std::string no = "\\ No newline at end of file\n";
  CHECK(*applied("a\nb", "@@ -2 +2 @@\n-b\n" + no + "+B\n" + no) == "a\nB");
  CHECK(*applied("a\nb", "@@ -2 +2 @@\n-b\n" + no + "+B\n") == "a\nB\n");
  CHECK(*applied("a\nb\n", "@@ -2 +2 @@\n-b\n+B\n" + no) == "a\nB");
  CHECK(*applied("a\nb", "@@ -1 +1 @@\n-a\n+A\n") == "A\nb");
  // Who says that the file ends there must be right.
  CHECK_FALSE(applied("a\nb\n", "@@ -2 +2 @@\n-b\n" + no + "+B\n").ok());
  CHECK(*applied("a", "@@ -1 +1,2 @@\n a\n+b\n") == "a\nb\n");
}

TEST_CASE("CRLF is taken with and without it in the patch") {
  CHECK(*applied("a\r\nb\r\n", "@@ -2 +2 @@\n-b\r\n+B\r\n") == "a\r\nB\r\n");
  CHECK(*applied("a\r\nb\r\n", "@@ -2 +2 @@\n-b\n+B\n") == "a\r\nB\r\n");
}

TEST_CASE("a hunk is found far away in a long file, and nothing else changes") {
  std::string content, expected;
  for (int i = 0; i < 20'000; ++i) {
    const std::string line = i == 15'003 ? "here\n" : "\n";
    content += line;
    expected += i == 15'003 ? "there\n" : line;
  }
  CHECK(*applied(content, "@@ -7 +7 @@\n-here\n+there\n") == expected);
  CHECK(*applied(content + "end", "@@ -7 +7 @@\n-here\n+there\n") == expected + "end");
}

TEST_CASE("lines are found by their number, however they end") {
  std::string text;
  std::vector<std::size_t> begins;
  for (int i = 0; i < 100; ++i) {
    begins.push_back(text.size());
    text += std::string(static_cast<std::size_t>(i % 5), 'x') + (i % 3 == 0 ? "\r\n" : "\n");
  }
  begins.push_back(text.size());
  text += "last";
  const LineIndex index(text);
  REQUIRE(index.size() == 101);
  for (std::size_t i = 0; i < begins.size(); ++i) CHECK(index.begin_of(i) == begins[i]);
  CHECK(index.begin_of(101) == text.size());
  CHECK(index.begin_of(5000) == text.size());
  CHECK(index.part(3, 5) == text.substr(begins[3], begins[5] - begins[3]));
  CHECK(index.part(100, 101) == "last");
  CHECK(LineIndex("").size() == 0);
}

TEST_CASE("hunks alone") {
  CHECK(parse_hunks("\n@@ -1 +1 @@\n-a\n+b\n\n")->size() == 1);
  CHECK_FALSE(parse_hunks("").ok());
  CHECK_FALSE(parse_hunks("@@ -1 +1 @@\n-a\n+b\nmore\n").ok());
}
