// SPDX-License-Identifier: Apache-2.0
#pragma once
// The functions of libvosk that are used, found when the library is opened. Their prototypes are
// our own: every one of them takes opaque pointers, numbers and texts.

#include <gantry/result.hpp>

#include <memory>
#include <string>

namespace gantry::stt_vosk {

struct VoskModel;
struct VoskRecogniser;

struct VoskLibrary {
  VoskModel* (*model_new)(const char* folder) = nullptr;
  void (*model_free)(VoskModel*) = nullptr;
  VoskRecogniser* (*recogniser_new)(VoskModel*, float rate) = nullptr;
  VoskRecogniser* (*recogniser_new_grm)(VoskModel*, float rate, const char* grammar) = nullptr;
  void (*recogniser_set_words)(VoskRecogniser*, int on) = nullptr;
  int (*accept)(VoskRecogniser*, const short* samples, int count) = nullptr;
  const char* (*partial)(VoskRecogniser*) = nullptr;
  const char* (*final)(VoskRecogniser*) = nullptr;
  void (*reset)(VoskRecogniser*) = nullptr;
  void (*recogniser_free)(VoskRecogniser*) = nullptr;
  void (*set_log_level)(int level) = nullptr;

  /// Opens it; it stays open. Errors: unavailable (not there, or not Vosk's).
  [[nodiscard]] static Result<std::shared_ptr<const VoskLibrary>> open(const std::string& name);
};

}  // namespace gantry::stt_vosk
