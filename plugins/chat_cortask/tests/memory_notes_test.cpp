// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "artifact_shelf.hpp"
#include "memory_notes.hpp"

namespace gantry::chat_cortask {
namespace {

constexpr const char* kMemory =
    "# People\n\n- Ann likes tea\n- Bob likes coffee\n  and cake\n\n## Build\nUse ninja.\nNot "
    "make.\n\nÄpfel sind rot\n";

TEST_CASE("notes are items and paragraphs, each with its heading and line") {
  const auto notes = notes_of(kMemory);
  REQUIRE(notes.size() == 4);
  CHECK(notes[0].content == "Ann likes tea");
  CHECK(notes[0].heading == "People");
  CHECK(notes[0].line == 3);
  CHECK(notes[1].content == "Bob likes coffee\nand cake");
  CHECK(notes[2].content == "Use ninja.\nNot make.");
  CHECK(notes[2].heading == "Build");
  CHECK(notes[3].content == "Äpfel sind rot");
  CHECK(notes_of("").empty());
  CHECK(notes_of("#\n##\n\n").empty());
}

TEST_CASE("rare words find more than usual ones, and nothing is found by none") {
  const auto notes = notes_of(kMemory);
  const auto found = find_notes(notes, "who LIKES coffee?", 5);
  REQUIRE(found.size() == 2);
  CHECK(found[0].note.content.starts_with("Bob"));
  CHECK(found[0].score > found[1].score);
  CHECK(found[0].score <= 1);
  CHECK(find_notes(notes, "likes", 1).size() == 1);
  CHECK(find_notes(notes, "Äpfel", 5).size() == 1);
  CHECK(find_notes(notes, "zebra", 5).empty());
  CHECK(find_notes(notes, " ?!", 5).empty());
  CHECK(find_notes({}, "tea", 5).empty());
}

TEST_CASE("artifacts are kept for a day, and not more than so many") {
  ArtifactShelf shelf;
  shelf.put({"a", "text", "t", "x", "text/plain", 1000});
  CHECK(shelf.find("a", 86'400'999) != nullptr);
  CHECK(shelf.find("b", 1000) == nullptr);
  CHECK(shelf.find("a", 86'401'000) == nullptr);
  for (int i = 0; i < 300; ++i) shelf.put({std::to_string(i), "text", "t", "x", "text/plain", 1});
  CHECK(shelf.all(1).size() == 200);
  CHECK(shelf.find("99", 1) == nullptr);
  shelf.put({"large", "text", "t", std::string(40U << 20, 'x'), "text/plain", 1});
  CHECK(shelf.all(1).size() == 1);
  CHECK(artifact_mime("svg") == "image/svg+xml");
  CHECK(artifact_mime("exe").empty());
}

}  // namespace
}  // namespace gantry::chat_cortask
