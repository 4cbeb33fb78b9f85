// SPDX-License-Identifier: Apache-2.0
#include "vosk_library.hpp"

#include <dlfcn.h>

namespace gantry::stt_vosk {
namespace {

constexpr const char* kCure = "set stt_vosk.libvosk to the file libvosk.so";

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Result<std::shared_ptr<const VoskLibrary>> VoskLibrary::open(const std::string& name) {
  // Never closed: libraries of this kind have threads and statics of their own.
  void* const library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = ::dlerror();
    return unavailable("Vosk's library cannot be opened: " + std::string(why == nullptr ? "" : why),
                       kCure);
  }
  auto out = std::make_shared<VoskLibrary>();
  const bool whole = find(library, "vosk_model_new", out->model_new) &&
                     find(library, "vosk_model_free", out->model_free) &&
                     find(library, "vosk_recognizer_new", out->recogniser_new) &&
                     find(library, "vosk_recognizer_new_grm", out->recogniser_new_grm) &&
                     find(library, "vosk_recognizer_set_words", out->recogniser_set_words) &&
                     find(library, "vosk_recognizer_accept_waveform_s", out->accept) &&
                     find(library, "vosk_recognizer_partial_result", out->partial) &&
                     find(library, "vosk_recognizer_final_result", out->final) &&
                     find(library, "vosk_recognizer_reset", out->reset) &&
                     find(library, "vosk_recognizer_free", out->recogniser_free) &&
                     find(library, "vosk_set_log_level", out->set_log_level);
  if (!whole) return unavailable(name + " is not the library of Vosk", kCure);
  out->set_log_level(-1);
  return std::shared_ptr<const VoskLibrary>(std::move(out));
}

}  // namespace gantry::stt_vosk
