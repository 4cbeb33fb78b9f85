// SPDX-License-Identifier: Apache-2.0
#include "said.hpp"

#include <flite/flite.h>

#include <dlfcn.h>

#include <stdexcept>

namespace gantry::wakeword::test {

std::vector<std::int16_t> said(const std::string& text) {
  static cst_voice* const voice = [] {
    flite_init();
    void* library = dlopen("libflite_cmu_us_slt.so.1", RTLD_NOW);
    if (library == nullptr) throw std::runtime_error("apt-get install libflite1");
    return reinterpret_cast<cst_voice* (*)(const char*)>(dlsym(library, "register_cmu_us_slt"))(
        nullptr);
  }();
  cst_wave* wave = flite_text_to_wave(text.c_str(), voice);
  std::vector<std::int16_t> samples(wave->samples, wave->samples + wave->num_samples);
  delete_wave(wave);
  return samples;
}

}  // namespace gantry::wakeword::test
