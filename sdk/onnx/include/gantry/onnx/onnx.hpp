// SPDX-License-Identifier: Apache-2.0
//
// Neural models through ONNX Runtime, which is opened when the first model is and is no part of the
// build. Without its library, or without a model's file, the answer is `unavailable` with the cure.
//
//   GANTRY_ASSIGN(auto model, onnx::Session::open(settings.models_dir, "silero/vad.onnx"));
//   const std::vector<float> sound = …;
//   GANTRY_ASSIGN(auto out, model->run({{"input", {1, 576}, std::span(sound)}}, {"output"}));
//   std::span<const float> values = out[0].floats();      // lives as long as out[0]
//
// A manifest names the folder: `models_dir: {type: string, default: "${GANTRY_MODELS_DIR}", …}`.
// Opening takes some 20 to 200 ms and running waits: both belong to Host::blocking. Drop the
// Session when it has been idle for a while; its memory and its threads go with it.
#pragma once

#include <gantry/result.hpp>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gantry::onnx {

struct Api;  // ONNX Runtime's table of functions

struct Options {
  int threads = 2;  // of one run, the caller's among them
  /// Keeps a run's memory for the next until the session ends, instead of asking the system for
  /// every tensor, which clears its pages each time.
  bool keep_memory = false;
};

using Shape = std::vector<std::int64_t>;

/// One input of a run. The data are not copied and must live until run() is back; there must be as
/// many of them as the shape says (an empty shape is one number).
struct Input {
  const char* name = "";
  Shape shape;
  std::variant<std::span<const float>, std::span<const std::int64_t>, std::span<const std::int32_t>>
      data;
};

/// One output of a run. Owns its memory.
class Output {
 public:
  Output(const Api* api, void* value) : api_(api), value_(value) {}
  Output(Output&& other) noexcept;
  Output& operator=(Output&& other) noexcept;
  ~Output();

  [[nodiscard]] const Shape& shape() const { return shape_; }
  /// Empty when it holds numbers of another type.
  [[nodiscard]] std::span<const float> floats() const;
  [[nodiscard]] std::span<const std::int64_t> integers() const;

 private:
  friend class Session;
  Result<void> describe();

  const Api* api_;
  void* value_;
  void* data_ = nullptr;
  int type_ = 0;
  std::size_t count_ = 0;
  Shape shape_;
};

/// A model that has been loaded. Thread-safe: runs may overlap.
class Session {
 public:
  /// Opens `file` in the folder of models, and the run time beside it when nobody has yet. Errors:
  /// unavailable (the library or the file is missing, is not what it should be or could have been
  /// written by somebody else; says how to get it).
  static Result<std::shared_ptr<Session>> open(const std::filesystem::path& models_dir,
                                               std::string_view file, const Options& options = {});
  /// The same for a model anywhere; `library` is the file of ONNX Runtime.
  static Result<std::shared_ptr<Session>> open_files(const std::filesystem::path& library,
                                                     const std::filesystem::path& model,
                                                     const Options& options = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const std::vector<std::string>& inputs() const { return inputs_; }
  [[nodiscard]] const std::vector<std::string>& outputs() const { return outputs_; }

  /// The named outputs; without names all of them, as outputs() has them. Errors: invalid_argument
  /// (data that do not fit their shape), internal (what ONNX Runtime says).
  [[nodiscard]] Result<std::vector<Output>> run(const std::vector<Input>& inputs,
                                                std::vector<const char*> outputs = {}) const;

 private:
  Session(const Api* api, void* session) : api_(api), session_(session) {}
  static Result<std::shared_ptr<Session>> load(const std::filesystem::path& library,
                                               const std::filesystem::path& model,
                                               const Options& options, const std::string& cure);
  Result<void> read_names();

  const Api* api_;
  void* session_;
  void* memory_ = nullptr;
  std::vector<std::string> inputs_;
  std::vector<std::string> outputs_;
};

/// ONNX Runtime in the folder of models.
[[nodiscard]] std::filesystem::path library_in(const std::filesystem::path& models_dir);

/// The version of ONNX Runtime ("1.28.2"), opened if it was not. Errors: as of Session::open().
[[nodiscard]] Result<std::string> runtime_version(const std::filesystem::path& library);

/// A file in the folder of models. Errors: unavailable (missing, or others could have written it;
/// names the command that brings it).
[[nodiscard]] Result<std::filesystem::path> model_file(const std::filesystem::path& models_dir,
                                                       std::string_view file);

}  // namespace gantry::onnx
