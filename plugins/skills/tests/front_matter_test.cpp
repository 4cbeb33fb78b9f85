// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <string>

#include "front_matter.hpp"

namespace gantry::skills {
namespace {

using Names = std::vector<std::string>;

std::string document(const std::string& yaml, const std::string& text = "Do it.\n") {
  return "---\n" + yaml + "\n---\n\n" + text;
}

TEST_CASE("a SKILL.md says what the skill is, wants and needs") {
  const Result<SkillDocument> read = read_document("tidy-mail", document(R"(name: Tidy mail
description: Sorts the inbox. Use it when mail has piled up.
version: 1.2
author: somebody
homepage: https://example.org/tidy
license: MIT
tags: [mail, daily]
allowed-tools: Read, Bash(git add, git commit) web_fetch
always: true
requires:
  bins: [notmuch, {name: jq, install: apt-get install jq}]
  any_bins: [mbsync, offlineimap]
  env: MAIL_ACCOUNT
  os: [linux, darwin]
metadata:
  emoji: ✉
  nested: {list: [1, two]}
x-own: kept)"));
  REQUIRE(read.ok());
  const Skill& skill = read->skill;
  CHECK(skill.name == "tidy-mail");
  CHECK(skill.title == "Tidy mail");
  CHECK(skill.description == "Sorts the inbox. Use it when mail has piled up.");
  CHECK(skill.version == "1.2");
  CHECK(skill.author == "somebody");
  CHECK(skill.homepage == "https://example.org/tidy");
  CHECK(skill.license == "MIT");
  CHECK(skill.tags == Names{"mail", "daily"});
  CHECK(skill.allowed_tools == Names{"Read", "Bash(git add, git commit)", "web_fetch"});
  CHECK(skill.always);
  REQUIRE(skill.needs.size() == 5);
  CHECK(skill.needs[0].name == "notmuch");
  CHECK(skill.needs[1].name == "jq");
  CHECK(skill.needs[1].cure == "apt-get install jq");
  CHECK(skill.needs[2].kind == SkillNeedKind::Environment);
  CHECK(skill.needs[2].name == "MAIL_ACCOUNT");
  CHECK(skill.needs[3].kind == SkillNeedKind::AnyProgram);
  CHECK(skill.needs[3].name == "mbsync|offlineimap");
  CHECK(skill.needs[4].kind == SkillNeedKind::System);
  CHECK(skill.metadata.text == R"({"emoji":"✉","nested":{"list":["1","two"]},"x-own":"kept"})");
  CHECK(read->instructions == "Do it.\n");
  CHECK(skill.bytes == 7);
}

TEST_CASE("a description is enough, and the file may come from another system") {
  const Result<SkillDocument> read =
      read_document("a", "\xEF\xBB\xBF---\r\ndescription: x\r\n---  \r\n\r\nText\r\n---\r\nmore");
  REQUIRE(read.ok());
  CHECK(read->skill.title == "a");
  CHECK(read->instructions == "Text\r\n---\r\nmore");
  CHECK(read->skill.needs.empty());
  CHECK(read->skill.metadata.text == "{}");
  CHECK(read_document("a", "---\ndescription: x\n---")->instructions.empty());
}

TEST_CASE("what is no skill is refused with what is wrong, and where") {
  struct Wrong {
    const char* what;
    std::string text;
    const char* words;
  };
  std::string deep = "description: x\ndeep: ";
  for (int level = 0; level < 40; ++level) deep += "[";
  for (int level = 0; level < 40; ++level) deep += "]";
  std::string aliases = "description: x\na0: &a0 [1,1,1,1,1,1,1,1,1,1]";
  for (int level = 1; level < 7; ++level) {
    const std::string before = "*a" + std::to_string(level - 1);
    aliases += "\na" + std::to_string(level) + ": &a" + std::to_string(level) + " [" + before +
               "," + before + "," + before + "," + before + "," + before + "," + before + "]";
  }
  const Wrong cases[] = {
      {"nothing", "", "must begin"},
      {"no front matter", "# A title\n", "must begin"},
      {"no end", "---\ndescription: x\n", "no end"},
      {"no description", document("name: x"), "description"},
      {"an empty description", document("description: ''"), "description"},
      {"a list for a text", document("description: [a]"), "description"},
      {"no map", document("- a"), "map"},
      {"no YAML", document("description: x\nb: [1"), "line"},
      {"a flag", document("description: x\nalways: perhaps"), "line 3: `always`"},
      {"tags", document("description: x\ntags: {a: b}"), "tags"},
      {"needs", document("description: x\nrequires: jq"), "requires"},
      {"a need without name", document("description: x\nrequires: {bins: [{install: y}]}"), "name"},
      {"too deep", document(deep), "nested"},
      {"aliases that grow", document(aliases), "too many values"},
      {"too long", document("description: x\nb: " + std::string(40'000, 'y')), "too long"},
      {"a long description", document("description: " + std::string(3000, 'y')), "description"},
  };
  for (const Wrong& test : cases) {
    INFO(test.what);
    const Result<SkillDocument> read = read_document("a", test.text);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().code == Code::InvalidArgument);
    CHECK(read.error().message.find(test.words) != std::string::npos);
  }
}

TEST_CASE("names of skills are plain") {
  for (const char* name : {"a", "a1", "tidy-mail", "0"}) CHECK(is_skill_name(name));
  for (const char* name : {"", "A", "-a", "a-", "a_b", "a/b", "..", "a.b", "ä"}) {
    CHECK_FALSE(is_skill_name(name));
    CHECK_FALSE(read_document(name, document("description: x")).ok());
  }
  CHECK_FALSE(is_skill_name(std::string(65, 'a')));
}

TEST_CASE("instructions without front matter get one that can be read") {
  const std::string description = "Says \"hello\": to # all\nand more";
  const std::string text = write_document("hi", description, "Say hello.");
  const Result<SkillDocument> read = read_document("hi", text);
  REQUIRE(read.ok());
  CHECK(read->skill.description == description);
  CHECK(read->instructions == "Say hello.\n");
}

}  // namespace
}  // namespace gantry::skills
