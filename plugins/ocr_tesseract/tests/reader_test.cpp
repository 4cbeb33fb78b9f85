// SPDX-License-Identifier: Apache-2.0
// In what order requests are worked on, with a method that says where it has got to.
#include <catch2/catch.hpp>

#include <gantry/ocr/text_plugin.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gantry/testkit/fake_host.hpp>
#include "rendered_text.hpp"

namespace gantry::ocr_tesseract::test {
namespace {

using ocr::test::draw;
using ocr::test::kLight;

/// What the method is told and tells.
struct Script {
  std::function<void()> looking = [] {};
  std::vector<cv::Rect> lines;
  int engines = 0;
  bool no_engines = false;
  std::vector<int> read;  // columns of the lines, in the order in which they were read
};

class ScriptedEngine final : public ocr::LineEngine {
 public:
  explicit ScriptedEngine(Script& script) : script_(script) {}
  Result<std::vector<std::vector<ocr::ReadWord>>> read(std::span<const ocr::Piece> lines) override {
    std::vector<std::vector<ocr::ReadWord>> out;
    for (const ocr::Piece& line : lines) {
      script_.read.push_back(line.ink.cols);
      out.push_back({{std::to_string(line.ink.cols), 90, {0, 0, line.ink.cols, line.ink.rows}}});
    }
    return out;
  }

 private:
  Script& script_;
};

class ScriptedMethod final : public ocr::Method {
 public:
  explicit ScriptedMethod(Script& script) : script_(script) {}
  Result<ocr::Page> find(const cv::Mat&, const ocr::Inked& inked) override {
    script_.looking();
    return ocr::Page{inked.ink, script_.lines, 0};
  }
  Result<std::unique_ptr<ocr::LineEngine>> make_engine(const ocr::Manner&) override {
    ++script_.engines;
    if (script_.no_engines) return unavailable("no engine", "make one");
    return std::unique_ptr<ocr::LineEngine>(std::make_unique<ScriptedEngine>(script_));
  }
  std::string route(const ocr::Manner&) const override { return "script"; }

 private:
  Script& script_;
};

class ScriptedPlugin final : public ocr::TextPlugin {
 public:
  using TextPlugin::TextPlugin;
  static Script* script;

 protected:
  Result<ocr::ReaderSettings> configure() override { return ocr::ReaderSettings{}; }
  std::shared_ptr<ocr::Method> method() override { return method_; }
  void probe() override {}

 private:
  std::shared_ptr<ocr::Method> method_ = std::make_shared<ScriptedMethod>(*script);
};
Script* ScriptedPlugin::script = nullptr;

struct Scripted {
  Scripted() {
    ScriptedPlugin::script = &script;
    REQUIRE(kit.load<ScriptedPlugin>("scripted").ok());
  }
  Result<Ref<OcrResult>> ask(int width) {
    OcrRequest request;
    request.image = draw(width, 100, kLight, {});
    return kit.host().bus().call_wait<OcrRead>(std::move(request));
  }

  Script script;
  testkit::FakeHost kit;
};

}  // namespace

TEST_CASE("while lines are looked for, the other worker makes the first engines") {
  Scripted ocr;
  ocr.script.lines = {{0, 0, 50, 10}};
  int made = -1;
  ocr.script.looking = [&] {
    ocr.kit.pump();  // what the other worker does meanwhile
    made = ocr.script.engines;
  };
  REQUIRE(ocr.ask(200).ok());
  CHECK(made == 2);
  REQUIRE(ocr.ask(300).ok());
  CHECK(ocr.script.engines == 2);
  ocr.kit.advance(std::chrono::minutes(2));  // they have been given up
  REQUIRE(ocr.ask(200).ok());
  CHECK(made == 4);
}

TEST_CASE(
    "an engine that cannot be made ahead fails the request whose lines need it, and no other") {
  Scripted ocr;
  ocr.script.no_engines = true;
  ocr.script.looking = [&] { ocr.kit.pump(); };
  CHECK(ocr.ask(200).ok());  // no lines, no engine
  CHECK(ocr.script.engines == 1);
  ocr.script.lines = {{0, 0, 50, 10}};
  const auto answer = ocr.ask(300);
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().message.find("no engine") != std::string::npos);
  ocr.script.no_engines = false;
  CHECK(ocr.ask(400).ok());
}

TEST_CASE("the longest line is read first, and the words come in the order of the page") {
  Scripted ocr;
  ocr.script.lines = {{0, 0, 50, 10}, {0, 20, 200, 10}, {0, 40, 220, 20}, {0, 70, 100, 10}};
  const auto answer = ocr.ask(300);
  REQUIRE(answer.ok());
  CHECK(ocr.script.read == std::vector<int>{200, 220, 100, 50});
  REQUIRE((*answer)->words.size() == 4);
  CHECK((*answer)->words[0].text == "50");
  CHECK((*answer)->words[3].text == "100");
}

}  // namespace gantry::ocr_tesseract::test
