// SPDX-License-Identifier: Apache-2.0
//
// With Poppler's own program, and with made-up ones in its place. Needs poppler-utils and
// bubblewrap.
#include <gantry/testkit/temp_dir.hpp>
#include <gantry/tools/program.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "pdf_text.hpp"

namespace gantry::document_poppler {
namespace {

namespace fs = std::filesystem;

/// One page with these words; empty: a page without any.
std::string pdf(const std::string& words) {
  const std::string drawing = words.empty() ? "" : "BT /F1 18 Tf 20 100 Td (" + words + ") Tj ET";
  const std::vector<std::string> objects{
      "<</Type/Catalog/Pages 2 0 R>>",
      "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 144]/Contents 4 0 R/Resources 6 0 R>>",
      "<</Length " + std::to_string(drawing.size()) + ">>stream\n" + drawing + "\nendstream",
      "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
      "<</Font<</F1 5 0 R>>>>"};
  std::string out = "%PDF-1.4\n";
  std::string table;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const std::string at = std::to_string(out.size());
    table += std::string(10 - at.size(), '0') + at + " 00000 n \n";
    out += std::to_string(i + 1) + " 0 obj\n" + objects[i] + "\nendobj\n";
  }
  const std::string count = std::to_string(objects.size() + 1);
  const std::string start = std::to_string(out.size());
  return out + "xref\n0 " + count + "\n0000000000 65535 f \n" + table + "trailer<</Size " + count +
         "/Root 1 0 R>>\nstartxref\n" + start + "\n%%EOF\n";
}

DocumentTextRequest request_of(const std::string& content, std::int64_t most = 1 << 20) {
  return {Buffer::copy(content), most};
}

/// A program of the test's own in the place of pdftotext.
struct OwnProgram {
  testkit::TempDir folder;
  Settings settings;

  explicit OwnProgram(const std::string& script) {
    const fs::path path = folder.path() / "reader";
    std::ofstream(path) << "#!/usr/bin/sh\n" << script << '\n';
    fs::permissions(path, fs::perms::owner_all);
    settings.program = path.string();
  }
};

TEST_CASE("a PDF says what is written in it") {
  for (const char* sandbox : {"bubblewrap", "none"}) {
    INFO(sandbox);
    Settings settings;
    settings.sandbox = sandbox;
    const auto read = pdf_text(settings, request_of(pdf("Tea at five")));
    REQUIRE(read.ok());
    CHECK(read->text.starts_with("Tea at five"));
    CHECK_FALSE(read->truncated);
  }
}

TEST_CASE("what cannot be read says why") {
  const Settings settings;
  const auto code_of = [&](const std::string& content) {
    return pdf_text(settings, request_of(content)).error();
  };
  CHECK(code_of("no PDF at all").code == Code::InvalidArgument);
  CHECK(code_of("").code == Code::InvalidArgument);
  const Error damaged = code_of(pdf("Tea").substr(0, 100));
  CHECK(damaged.code == Code::InvalidArgument);
  CHECK(damaged.message.find("damaged") != std::string::npos);
  const Error pictures = code_of(pdf(""));
  CHECK(pictures.code == Code::FailedPrecondition);
  CHECK(pictures.message.find("no text") != std::string::npos);
}

TEST_CASE("a text that is too long is cut between two characters") {
  const OwnProgram endless("/usr/bin/yes ää");
  const auto read = pdf_text(endless.settings, request_of(pdf("x"), 8));
  REQUIRE(read.ok());
  CHECK(read->truncated);
  CHECK(read->text == "ää\nä");
}

TEST_CASE("a document that takes too long is given up") {
  OwnProgram slow("/usr/bin/sleep 600");
  slow.settings.limits.time = 300;
  CHECK(pdf_text(slow.settings, request_of(pdf("x"))).error().code == Code::DeadlineExceeded);
}

TEST_CASE("a document that takes too much of a processor is ended so that it shows") {
  for (const char* sandbox : {"bubblewrap", "none"}) {
    INFO(sandbox);
    OwnProgram busy("while :; do :; done");
    busy.settings.sandbox = sandbox;
    busy.settings.limits.time = 1;
    const auto command = command_of(busy.settings);
    REQUIRE(command.ok());
    const auto ended = tools::run_program({*command, {}, true}, {}, 10, std::chrono::seconds(60));
    REQUIRE(ended.ok());
    CHECK((ended->code == -SIGXCPU || ended->code == 128 + SIGXCPU));
  }
}

TEST_CASE("what reads documents sees nothing of this machine, and keeps nothing") {
  const OwnProgram curious(
      "/usr/bin/cat /etc/passwd 2>/dev/null && exit 0\n"
      "echo x 2>/dev/null >/usr/x && exit 0\n"
      "/usr/bin/env | /usr/bin/grep -v -e PWD -e SHLVL -e _= && exit 0\n"
      "echo nothing");
  const auto read = pdf_text(curious.settings, request_of(pdf("x")));
  REQUIRE(read.ok());
  CHECK(read->text == "nothing\n");
}

TEST_CASE("what is missing is named, with what brings it") {
  Settings settings;
  settings.program = "no-such-reader";
  const Error program = pdf_text(settings, request_of(pdf("x"))).error();
  CHECK(program.code == Code::Unavailable);
  CHECK(program.message.find("poppler-utils") != std::string::npos);
  settings = {};
  settings.bubblewrap = "/nowhere/bwrap";
  CHECK(pdf_text(settings, request_of(pdf("x"))).error().message.find("bubblewrap") !=
        std::string::npos);
  settings = {};
  settings.limits.file = 10;
  CHECK(pdf_text(settings, request_of(pdf("x"))).error().code == Code::ResourceExhausted);
}

}  // namespace
}  // namespace gantry::document_poppler
