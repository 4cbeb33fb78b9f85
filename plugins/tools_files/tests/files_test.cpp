// SPDX-License-Identifier: Apache-2.0
// Reading, writing, replacing and patching.
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>

#include "file_io.hpp"
#include "support.hpp"
#include "text_lines.hpp"

using namespace gantry;
using namespace gantry::files;
using namespace gantry::files::testing;

TEST_CASE("all of a text, or some lines of it") {
  Place place;
  put(place.work / "five", "1\n2\n3\n4\n5");
  CHECK(text_of(place.read("five")) == "1\n2\n3\n4\n5");
  CHECK(text_of(place.read("five", 2, 2)) == "2\n3\n[lines 2 to 3 of 5; go on with offset 4]");
  CHECK(text_of(place.read("five", 5)) == "5[lines 5 to 5 of 5]");
  CHECK(place.read("five", 6).error().code == Code::OutOfRange);
  CHECK(place.read("five", 0).error().code == Code::InvalidArgument);
  put(place.work / "empty", "");
  CHECK(text_of(place.read("empty")).empty());
}

TEST_CASE("a long text is read in parts that end with lines") {
  Place place;
  place.settings->limits.read = 20;
  put(place.work / "long", "123456789\n123456789\n123456789\n");
  CHECK(text_of(place.read("long")) ==
        "123456789\n123456789\n[lines 1 to 2 of 3; go on with offset 3]");
  put(place.work / "line", std::string(19, 'x') + "\xC3\xBC and more\nnext\n");
  CHECK(text_of(place.read("line")) ==
        std::string(19, 'x') +
            "[lines 1 to 1 of 2; the line is longer and was cut; go on with offset 2]");
}

TEST_CASE("what is no text is told, what is no UTF-8 is repaired") {
  Place place;
  put(place.work / "binary", std::string("\x7F\x45LF\0\0", 6));
  CHECK(place.read("binary").error().code == Code::FailedPrecondition);
  put(place.work / "latin", "Gr\xFC\xDF\n");
  CHECK(text_of(place.read("latin")) ==
        "Gr\xEF\xBF\xBD\xEF\xBF\xBD\n[2 bytes are no UTF-8 and shown as \xEF\xBF\xBD]");
  place.settings->limits.file = 5;
  CHECK(place.read("file").error().code == Code::OutOfRange);
  CHECK(place.write("new", "123456").error().code == Code::OutOfRange);
}

TEST_CASE("pictures are shown") {
  Place place;
  const std::string png = "\x89PNG\r\n\x1a\nrest";
  put(place.work / "picture", png);
  const auto shown = place.read("picture");
  REQUIRE(shown.ok());
  REQUIRE(shown->content.size() == 2);
  CHECK(shown->content[1].kind == ContentKind::Image);
  CHECK(shown->content[1].media_type == "image/png");
  CHECK(shown->content[1].data.text() == png);
  place.settings->limits.image = 4;
  CHECK(place.read("picture").error().code == Code::OutOfRange);
  CHECK(image_type("\xFF\xD8\xFF\xE0") == "image/jpeg");
  CHECK(image_type("RIFF....WEBPVP8 ") == "image/webp");
  CHECK(image_type("GIF89a..") == "image/gif");
  CHECK(image_type("RIFF....WAVE").empty());
}

TEST_CASE("writing makes and replaces, with folders, mode and content as they were") {
  Place place;
  CHECK(place.write("a/b/new", "x\r\nno end").ok());
  CHECK(content_of(place.work / "a/b/new") == "x\r\nno end");
  REQUIRE(::chmod((place.work / "file").c_str(), 0751) == 0);
  CHECK(text_of(place.write("file", "2")).find("replaced, 1 byte") != std::string::npos);
  struct stat facts {};
  REQUIRE(::stat((place.work / "file").c_str(), &facts) == 0);
  CHECK((facts.st_mode & 07777U) == 0751);
  CHECK(place.write("file", "3", true).error().code == Code::AlreadyExists);
  CHECK(content_of(place.work / "file") == "2");
  CHECK(place.names() == "a a/b a/b/new file ");  // nothing else is left
}

TEST_CASE("what is written does not get the set-id bits of what was there") {
  Place place;
  REQUIRE(::chmod((place.work / "file").c_str(), 06755) == 0);
  CHECK(place.write("file", "2").ok());
  struct stat facts {};
  REQUIRE(::stat((place.work / "file").c_str(), &facts) == 0);
  CHECK((facts.st_mode & 07777U) == 0755);
}

TEST_CASE("a file of nothing but line ends costs no more than its bytes") {
  Place place;
  constexpr std::size_t kBytes = 10U << 20U;
  place.settings->limits.file = kBytes;
  put(place.work / "file", std::string(kBytes, '\n'));
  const auto most_kib = [] {
    rusage used{};
    REQUIRE(::getrusage(RUSAGE_SELF, &used) == 0);
    return used.ru_maxrss;
  };
  const auto before = most_kib();
  const auto last = place.read("file", static_cast<std::int64_t>(kBytes), 1);
  REQUIRE(last.ok());
  CHECK(last->content[1].text == "[lines 10485760 to 10485760 of 10485760]");
  CHECK(most_kib() - before < 200 * 1024);
}

TEST_CASE("a link to a file inside stays a link, and other names keep the old content") {
  Place place;
  fs::create_symlink("file", place.work / "link");
  fs::create_hard_link(place.work / "file", place.work / "other");
  CHECK(place.write("link", "new").ok());
  CHECK(fs::is_symlink(place.work / "link"));
  CHECK(content_of(place.work / "file") == "new");
  CHECK(content_of(place.work / "other") == "inside\n");
}

TEST_CASE("a file is replaced in one step: whoever has it open reads the old one to its end") {
  Place place;
  std::ifstream open(place.work / "file");
  CHECK(place.write("file", "other").ok());
  std::string line;
  std::getline(open, line);
  CHECK(line == "inside");
}

TEST_CASE("replacing wants exactly what is there") {
  Place place;
  put(place.work / "text", "one two two three");
  CHECK(place.replace("text", {{"one", "1", 1}, {"two", "2", 2}}).ok());
  CHECK(content_of(place.work / "text") == "1 2 2 three");
  const auto refused = [&](std::vector<Replacement> wishes) {
    const auto result = place.replace("text", std::move(wishes));
    REQUIRE_FALSE(result.ok());
    CHECK(content_of(place.work / "text") == "1 2 2 three");
    return result.error().message;
  };
  CHECK(refused({{"2", "x", 1}}).find("is there 2 times, expected 1") != std::string::npos);
  CHECK(refused({{"2", "x", 3}}).find("is there 2 times, expected 3") != std::string::npos);
  CHECK(refused({{"1", "x", 1}, {"none", "y", 1}}).find("replacement 2: old_text is there 0") !=
        std::string::npos);
  CHECK(refused({{"", "x", 1}}).find("must not be empty") != std::string::npos);
  CHECK(place.replace("text", {}).error().code == Code::InvalidArgument);
  CHECK(place.replace("none", {{"a", "b", 1}}).error().code == Code::NotFound);
}

TEST_CASE("a small replacement that would make a large file is refused before it is made") {
  Place place;
  place.settings->limits.file = 1024;
  put(place.work / "text", std::string(100, 'a'));
  const auto refused = place.replace("text", {{"a", std::string(20, 'b'), 100}, {"b", "", 2000}});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::OutOfRange);
  CHECK(place.replace("text", {{"a", std::string(10, 'b'), 100}}).ok());
  CHECK(content_of(place.work / "text") == std::string(1000, 'b'));
}

TEST_CASE("replacements that overlap themselves are counted as they are replaced") {
  Place place;
  put(place.work / "text", "aaaa");
  CHECK(place.replace("text", {{"aa", "b", 2}}).ok());
  CHECK(content_of(place.work / "text") == "bb");
}

TEST_CASE("line endings and a missing last newline stay") {
  Place place;
  put(place.work / "dos", "one\r\ntwo\r\nthree");
  CHECK(place.replace("dos", {{"one\ntwo\n", "1\n2\n", 1}}).ok());
  CHECK(content_of(place.work / "dos") == "1\r\n2\r\nthree");
  CHECK(place.patch("--- a/dos\n+++ b/dos\n@@ -1,3 +1,4 @@\n 1\n-2\n+two\n+more\n three\n").ok());
  CHECK(content_of(place.work / "dos") == "1\r\ntwo\r\nmore\r\nthree");
  put(place.work / "mixed", "a\r\nb\nc\r\n");
  CHECK(place.patch("--- a/mixed\n+++ b/mixed\n@@ -2 +2 @@\n-b\n+B\n").ok());
  CHECK(content_of(place.work / "mixed") == "a\r\nB\nc\r\n");
}

TEST_CASE("chunks of a patch for one file") {
  Place place;
  put(place.work / "text", "a\nb\nc\nd\ne\n");
  const auto done =
      files::replace(place.roots(), place.at_work(),
                     {"text", {}, {"@@ -1 +1 @@\n-a\n+A", "@@ -5 +5 @@\n-e\n+E\n"}, ""});
  CHECK(text_of(done).find("changed in 2 places") != std::string::npos);
  CHECK(content_of(place.work / "text") == "A\nb\nc\nd\nE\n");
  CHECK(files::replace(place.roots(), place.at_work(), {"text", {{"A", "a", 1}}, {"@@"}, ""})
            .error()
            .code == Code::InvalidArgument);
}

TEST_CASE("a patch changes, makes and removes files") {
  Place place;
  put(place.work / "old", "gone\n");
  const auto done = place.patch(
      "diff --git a/file b/file\nindex 1..2 100644\n--- a/file\n+++ b/file\n@@ -1 +1,2 @@\n"
      " inside\n+more\n"
      "--- /dev/null\n+++ b/sub/new\n@@ -0,0 +1 @@\n+fresh\n\\ No newline at end of file\n"
      "--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n");
  INFO(text_of(done));
  REQUIRE(done.ok());
  CHECK(content_of(place.work / "file") == "inside\nmore\n");
  CHECK(content_of(place.work / "sub/new") == "fresh");
  CHECK(place.names() == "file sub sub/new ");
}

TEST_CASE("a patch of which a part does not fit changes nothing") {
  Place place;
  put(place.work / "second", "b\n");
  const std::string good = "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-inside\n+changed\n";
  for (const std::string bad :
       {"--- a/second\n+++ b/second\n@@ -1 +1 @@\n-x\n+y\n",
        ("--- /dev/null\n+++ b/new/folder/x\n@@ -0,0 +1 @@\n+y\n"
         "--- a/second\n+++ b/second\n@@ -1 +1 @@\n-x\n+y\n"),
        "--- a/none\n+++ b/none\n@@ -1 +1 @@\n-x\n+y\n",
        "--- /dev/null\n+++ b/second\n@@ -0,0 +1 @@\n+y\n",
        "--- a/../secret/key\n+++ b/../secret/key\n@@ -1 +1 @@\n-private\n+y\n",
        "--- a/second\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"}) {
    INFO(bad);
    CHECK_FALSE(place.patch(good + bad).ok());
    CHECK(content_of(place.work / "file") == "inside\n");
    CHECK(content_of(place.work / "second") == "b\n");
    CHECK(place.names() == "file second ");
  }
}

TEST_CASE("what fails when files are put in their places is undone") {
  Place place;
  put(place.work / "one", "1");
  put(place.work / "two", "2");
  put(place.work / "three", "3");
  const auto change = [&](const char* name, std::optional<std::string> bytes, bool stale) {
    Change out;
    auto spot = place.roots().spot(name, false);
    REQUIRE(spot.ok());
    out.spot = std::move(*spot);
    out.bytes = std::move(bytes);
    if (out.spot.facts) out.expected = stamp_of(*out.spot.facts);
    if (stale) out.expected->size += 1;
    return out;
  };
  std::vector<Change> changes;
  changes.push_back(change("one", "changed", false));
  changes.push_back(change("three", std::nullopt, false));
  changes.push_back(change("new", "made", false));
  changes.push_back(change("two", "changed", true));  // somebody else was there
  const auto done = make_changes(std::move(changes));
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().code == Code::Aborted);
  CHECK(content_of(place.work / "one") == "1");
  CHECK(content_of(place.work / "two") == "2");
  CHECK(content_of(place.work / "three") == "3");
  CHECK(place.names() == "file one three two ");
}

TEST_CASE("a file that was changed or came meanwhile is not overwritten") {
  struct Row {
    const char* name;
    Code code;
  };
  const auto row = GENERATE(values<Row>({{"file", Code::Aborted}, {"fresh", Code::AlreadyExists}}));
  Place place;
  Change change;
  auto spot = place.roots().spot(row.name, false);
  REQUIRE(spot.ok());
  change.spot = std::move(*spot);
  change.must_be_new = !change.spot.facts;
  if (change.spot.facts) change.expected = stamp_of(*change.spot.facts);
  change.bytes = "mine";
  put(place.work / row.name, "theirs, longer");
  std::vector<Change> changes;
  changes.push_back(std::move(change));
  const auto done = make_changes(std::move(changes));
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().code == row.code);
  CHECK(content_of(place.work / row.name) == "theirs, longer");
}

TEST_CASE("lines remember how they ended") {
  const std::string text = "a\nb\r\n\r\n\nc";
  CHECK(joined(lines_of(text)) == text);
  CHECK(lines_of(text).size() == 5);
  CHECK(line_ending("a\r\nb\r\n") == "\r\n");
  CHECK(line_ending("a\r\nb\n") == "\n");
  CHECK(line_ending("a") == "\n");
  CHECK(with_ending("a\nb\r\nc", "\r\n") == "a\r\nb\r\nc");
}
