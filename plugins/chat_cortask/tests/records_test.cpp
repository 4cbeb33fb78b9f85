// SPDX-License-Identifier: Apache-2.0
#include <gantry/testkit/temp_dir.hpp>

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>

#include "records.hpp"
#include "seal.hpp"
#include "turn_input.hpp"

namespace gantry::chat_cortask {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a referenced file is shown, or why it is not") {
  CHECK(reference_text({"notes.txt", ReferenceOutcome::Text, "two\nlines"}) ==
        "[File: notes.txt]\n```\ntwo\nlines\n```");
  CHECK(reference_text({"gone.txt", ReferenceOutcome::Missing, {}}) ==
        "[File: gone.txt]\n(File not found or unreadable)");
  CHECK(reference_text({"../x", ReferenceOutcome::Outside, {}}).empty());
  CHECK(reference_text({"big.txt", ReferenceOutcome::TooLarge, {}}) ==
        "[File: big.txt]\n(Skipped — file exceeds 50KB limit)");
  CHECK(reference_text({"fence.md", ReferenceOutcome::Text, "```\ncode\n```\n"}) ==
        "[File: fence.md]\n````\n```\ncode\n```\n````");
}

TEST_CASE("credentials open with their key and their name only") {
  const testkit::TempDir folder;
  const auto seal = Seal::make("secret", folder.path().string());
  REQUIRE(seal.ok());
  const auto sealed = seal->close("provider.openai.apiKey", "sk-1");
  REQUIRE(sealed.ok());
  CHECK(sealed->find("sk-1") == std::string::npos);
  CHECK(*seal->open("provider.openai.apiKey", *sealed) == "sk-1");
  CHECK(seal->open("provider.google.apiKey", *sealed).error().code == Code::DataLoss);
  CHECK_FALSE(
      Seal::make("other", folder.path().string())->open("provider.openai.apiKey", *sealed).ok());
  const auto own = Seal::make("", folder.path().string());
  REQUIRE(own.ok());
  const auto again = Seal::make("", folder.path().string());
  CHECK(again->open("a", *own->close("a", ""))->empty());
  const auto mode = fs::status(folder.path() / "credentials.key").permissions();
  CHECK(mode == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("periods begin where a calendar has them") {
  constexpr std::int64_t kMarch3 = 1'772'553'600'000;  // 2026-03-03T16:00:00Z
  CHECK(first_day("daily", kMarch3) == "2026-03-03");
  CHECK(first_day("weekly", kMarch3) == "2026-02-25");
  CHECK(first_day("monthly", kMarch3) == "2026-03-01");
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1819) == "1,819");
  CHECK(grouped(1234567) == "1,234,567");
  CHECK(grouped(-100) == "-100");
}

}  // namespace
}  // namespace gantry::chat_cortask
