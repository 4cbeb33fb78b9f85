// SPDX-License-Identifier: Apache-2.0
// Models through ONNX Runtime, and what is said when it or a model is not what it should be.
#include <sys/stat.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <thread>

#include "tiny_model.hpp"

#include <gantry/models_dir.hpp>
#include <gantry/onnx/onnx.hpp>
#include <gantry/onnx/test_models.hpp>
#include <gantry/testkit/temp_dir.hpp>

namespace gantry::onnx::test {
namespace {

namespace fs = std::filesystem;

const fs::path kLibrary = library_in(test_models_dir());

void check_unavailable(const Error& error, const std::string& what, const std::string& cure) {
  INFO(error.message);
  CHECK(error.code == Code::Unavailable);
  CHECK(error.message.find(what) != std::string::npos);
  CHECK(error.message.find("(cure: " + cure) != std::string::npos);
}

TEST_CASE("without the library or the model the answer is unavailable and names the cure") {
  testkit::TempDir dir;
  const auto no_model = Session::open(dir.path(), "silero/vad.onnx");
  REQUIRE_FALSE(no_model.ok());
  check_unavailable(no_model.error(), "silero/vad.onnx", "run: gantry models fetch silero)");

  dir.write("silero/vad.onnx", tiny_model());
  const auto no_library = Session::open(dir.path(), "silero/vad.onnx");
  REQUIRE_FALSE(no_library.ok());
  check_unavailable(no_library.error(), "libonnxruntime.so",
                    "run: gantry models fetch onnxruntime)");

  dir.write("onnxruntime/libonnxruntime.so", "this is no library");
  const auto no_code = Session::open(dir.path(), "silero/vad.onnx");
  REQUIRE_FALSE(no_code.ok());
  check_unavailable(no_code.error(), "cannot be opened", "run: gantry models fetch onnxruntime)");

  // A library, but another one.
  const auto other = runtime_version("/usr/lib/x86_64-linux-gnu/libz.so.1");
  REQUIRE_FALSE(other.ok());
  check_unavailable(other.error(), "is not ONNX Runtime", "run: gantry models fetch onnxruntime)");

  const auto folder = model_file(dir.path(), "silero");
  REQUIRE_FALSE(folder.ok());
  check_unavailable(folder.error(), "is no file", "run: gantry models fetch silero)");
}

TEST_CASE("what others could have written is not used") {
  testkit::TempDir dir;
  const fs::path file = dir.write("silero/vad.onnx", tiny_model());
  REQUIRE(chmod(file.c_str(), 0666) == 0);
  const auto refused = model_file(dir.path(), "silero/vad.onnx");
  REQUIRE_FALSE(refused.ok());
  check_unavailable(refused.error(), "another user", "chown");
  REQUIRE(chmod(file.c_str(), 0644) == 0);
  CHECK(model_file(dir.path(), "silero/vad.onnx").ok());
}

TEST_CASE("a model runs: names, shapes, floats and integers") {
  if (!have_models({"onnxruntime/libonnxruntime.so"})) {
    SUCCEED("skipped");
    return;
  }
  testkit::TempDir dir;
  const auto version = runtime_version(kLibrary);
  REQUIRE(version.ok());
  CHECK(version->find('.') != std::string::npos);
  const auto opened = Session::open_files(kLibrary, dir.write("m.onnx", tiny_model()));
  INFO((opened.ok() ? std::string() : opened.error().message));
  REQUIRE(opened.ok());
  const Session& model = **opened;
  CHECK(model.inputs() == std::vector<std::string>{"x", "k"});
  CHECK(model.outputs() == std::vector<std::string>{"y", "m"});

  const std::vector<float> x{-1, 2.5F, -0.0F, 7};
  const std::vector<std::int64_t> k{1LL << 40, -5};
  auto ran = model.run({{"x", {4}, std::span(x)}, {"k", {2}, std::span(k)}});
  REQUIRE(ran.ok());
  REQUIRE(ran->size() == 2);
  Output y = std::move((*ran)[0]);
  CHECK(y.shape() == Shape{4});
  CHECK(std::vector<float>(y.floats().begin(), y.floats().end()) ==
        std::vector<float>{0, 2.5F, 0, 7});
  CHECK(y.integers().empty());
  const Output& m = (*ran)[1];
  CHECK(std::vector<std::int64_t>(m.integers().begin(), m.integers().end()) == k);
  CHECK(m.floats().empty());

  const auto one = model.run({{"x", {4}, std::span(x)}, {"k", {2}, std::span(k)}}, {"m"});
  REQUIRE(one.ok());
  CHECK(one->size() == 1);
}

TEST_CASE("a session that keeps its memory gives the same, also to several threads at once") {
  if (!have_models({"onnxruntime/libonnxruntime.so"})) {
    SUCCEED("skipped");
    return;
  }
  testkit::TempDir dir;
  const auto opened = Session::open_files(kLibrary, dir.write("m.onnx", tiny_model()),
                                          {.threads = 1, .keep_memory = true});
  REQUIRE(opened.ok());
  std::atomic<int> right = 0;
  constexpr int kRuns = 50;
  const auto work = [&] {
    for (int size = 1; size <= kRuns; ++size) {
      const std::vector<float> x(static_cast<std::size_t>(size), static_cast<float>(size));
      const std::vector<std::int64_t> k{size};
      const auto ran = (*opened)->run({{"x", {size}, std::span(x)}, {"k", {1}, std::span(k)}});
      if (!ran.ok()) continue;
      const auto y = ran->front().floats();
      if (std::vector<float>(y.begin(), y.end()) == x) ++right;
    }
  };
  std::thread other(work);
  work();
  other.join();
  CHECK(right == 2 * kRuns);
}

TEST_CASE("what does not fit a model is an error of that run") {
  if (!have_models({"onnxruntime/libonnxruntime.so"})) {
    SUCCEED("skipped");
    return;
  }
  testkit::TempDir dir;
  const auto opened = Session::open_files(kLibrary, dir.write("m.onnx", tiny_model()));
  REQUIRE(opened.ok());
  const std::vector<float> x{1, 2};
  const std::vector<std::int64_t> k{3};
  struct Wrong {
    const char* what;
    std::vector<Input> inputs;
    std::vector<const char*> outputs;
    Code code;
  };
  const std::vector<Wrong> rows = {
      {"fewer numbers", {{"x", {3}, std::span(x)}}, {"y"}, Code::InvalidArgument},
      {"a negative dimension", {{"x", {-2}, std::span(x)}}, {"y"}, Code::InvalidArgument},
      {"a shape that overflows",
       {{"x", {1LL << 40, 1LL << 40}, std::span(x)}},
       {"y"},
       Code::InvalidArgument},
      {"no numbers", {{"x", {0}, std::span<const float>()}}, {"y"}, Code::InvalidArgument},
      {"another type", {{"x", {1}, std::span(k)}, {"k", {1}, std::span(k)}}, {"y"}, Code::Internal},
      {"no such input", {{"z", {2}, std::span(x)}}, {"y"}, Code::Internal},
      {"an input missing", {{"x", {2}, std::span(x)}}, {"y"}, Code::Internal},
      {"too many dimensions",
       {{"x", {2, 1}, std::span(x)}, {"k", {1}, std::span(k)}},
       {"y"},
       Code::Internal},
      {"no such output",
       {{"x", {2}, std::span(x)}, {"k", {1}, std::span(k)}},
       {"q"},
       Code::Internal},
  };
  for (const Wrong& row : rows) {
    const auto ran = (*opened)->run(row.inputs, row.outputs);
    INFO(row.what);
    REQUIRE_FALSE(ran.ok());
    CHECK(ran.error().code == row.code);
  }
  CHECK((*opened)->run({{"x", {2}, std::span(x)}, {"k", {1}, std::span(k)}}).ok());
}

TEST_CASE("a model that is cut off or spoilt is unavailable, wherever the damage is") {
  if (!have_models({"onnxruntime/libonnxruntime.so"})) {
    SUCCEED("skipped");
    return;
  }
  testkit::TempDir dir;
  const std::string whole = tiny_model();
  fs::create_directories(dir.path() / "onnxruntime");
  fs::create_symlink(kLibrary, library_in(dir.path()));
  int refused = 0;
  for (std::size_t keep = 0; keep < whole.size(); ++keep) {
    dir.write("ppocr/det.onnx", whole.substr(0, keep));
    const auto opened = Session::open(dir.path(), "ppocr/det.onnx");
    if (opened.ok()) continue;  // some prefixes are whole messages
    ++refused;
    CHECK(opened.error().code == Code::Unavailable);
    CHECK(opened.error().message.find("gantry models fetch ppocr") != std::string::npos);
  }
  CHECK(refused > 20);
}

TEST_CASE("the folder of models is found by one rule") {
  struct Row {
    std::map<std::string, std::string> variables;
    std::string configured;
    std::string dir;
  };
  testkit::TempDir prefix;
  const std::string installed = prefix.path() / "share/gantry/models";
  const std::vector<Row> rows = {
      {{{"GANTRY_MODELS_DIR", "/m"}, {"HOME", "/h"}}, "/c", "/m"},
      {{{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}}, "/c", "/c"},
      {{{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}, {"GANTRY_CACHE_DIR", "/g"}}, "", "/g/models"},
      {{{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}}, "", "/x/gantry/models"},
      {{{"HOME", "/h"}}, "", "/h/.cache/gantry/models"},
      {{{"HOME", ""}}, "", installed},
  };
  const auto found = [&](const Row& row) {
    return models_dir(
        [&](const std::string& name) -> std::optional<std::string> {
          const auto at = row.variables.find(name);
          return at == row.variables.end() ? std::nullopt : std::optional(at->second);
        },
        prefix.path(), row.configured);
  };
  for (const Row& row : rows) CHECK(found(row) == row.dir);
  fs::create_directories(installed);
  CHECK(found(rows[3]) == installed);
  CHECK(found(rows[0]) == "/m");
}

}  // namespace
}  // namespace gantry::onnx::test
