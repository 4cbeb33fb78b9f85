// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <gantry/embedding/failure.hpp>
#include <gantry/onnx/onnx.hpp>

#include <filesystem>
#include <initializer_list>
#include <system_error>

namespace gantry::embed_local {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored);
}

}  // namespace

Result<std::shared_ptr<const Engine>> open_engine(const Settings& settings) {
  return settings.names_sentence_model() ? open_sentence_model(settings) : open_lsa(settings);
}

Result<void> probe_engine(const Settings& settings) {
  if (!settings.names_sentence_model()) {
    if (is_there(settings.table)) return {};
    return embedding::missing(kLsaProvider, "there is no word table " + settings.table, kTableCure);
  }
  const fs::path folder = settings.models_dir;
  const SentenceModel& wanted = settings.sentence_model;
  for (const fs::path& file :
       {folder / wanted.model, folder / wanted.vocabulary, onnx::library_in(folder)}) {
    if (is_there(file)) continue;
    return embedding::missing(kSentenceProvider, "there is no " + file.string(),
                              "correct embed_local.sentence_model, and run: gantry models fetch");
  }
  return {};
}

}  // namespace gantry::embed_local
