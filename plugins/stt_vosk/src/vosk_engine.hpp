// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/speech/recogniser.hpp>

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "vosk_library.hpp"

namespace gantry::stt_vosk {

struct EngineSettings {
  std::string libvosk;
  std::filesystem::path model_dir;
  std::string language;
  bool vocabulary_only = false;
};

/// A model, shared by the engines that use it, and given up with the last of them.
class Model {
 public:
  [[nodiscard]] static Result<std::shared_ptr<Model>> load(const EngineSettings& settings);
  Model(std::shared_ptr<const VoskLibrary> library, VoskModel* model)
      : library_(std::move(library)), model_(model) {}
  ~Model() { library_->model_free(model_); }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  [[nodiscard]] const VoskLibrary& library() const { return *library_; }
  [[nodiscard]] VoskModel* get() const { return model_; }

 private:
  std::shared_ptr<const VoskLibrary> library_;
  VoskModel* model_;
};

/// Finds the model that is loaded already, or loads it. Thread-safe.
class ModelShelf {
 public:
  [[nodiscard]] Result<std::shared_ptr<Model>> take(const EngineSettings& settings);

 private:
  std::mutex mutex_;
  std::string key_;
  std::weak_ptr<Model> model_;
};

class Engine final : public speech::Recogniser {
 public:
  Engine(std::shared_ptr<Model> model, EngineSettings settings);
  ~Engine() override;

  [[nodiscard]] std::int32_t rate() const override { return 16000; }
  [[nodiscard]] std::string route() const override;
  [[nodiscard]] Result<void> prepare(const SpeechHints& hints) override;
  [[nodiscard]] Result<void> begin() override;
  [[nodiscard]] Result<void> sound(std::span<const std::int16_t> samples) override;
  [[nodiscard]] std::string text() override;
  [[nodiscard]] Result<speech::Hypothesis> end() override;
  void drop() override;

 private:
  std::shared_ptr<Model> model_;
  EngineSettings settings_;
  std::string grammar_;  // of the recogniser that is there
  VoskRecogniser* recogniser_ = nullptr;
  std::string said_;  // where the engine ended an utterance before we did
};

}  // namespace gantry::stt_vosk
