// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the codec of this plugin's own types.
#include "settings.hpp"

#include <gantry/codec.hpp>

#include <filesystem>
#include <system_error>

GANTRY_INSTANTIATE(gantry::embed_local::SentenceModel)
GANTRY_INSTANTIATE(gantry::embed_local::Settings)

namespace gantry::embed_local {
namespace {

namespace fs = std::filesystem;

/// <prefix>/share/gantry/embeddings/wordnet-lsa.bin of the program <prefix>/bin/gantry.
std::string installed_table() {
  std::error_code problem;
  const fs::path program = fs::read_symlink("/proc/self/exe", problem);
  if (problem) return {};
  return program.parent_path().parent_path() / "share/gantry/embeddings/wordnet-lsa.bin";
}

}  // namespace

Result<Settings> read_settings(std::string_view json) {
  GANTRY_ASSIGN(Settings settings, from_json<Settings>(json));
  if (settings.table.empty()) settings.table = installed_table();
  return settings;
}

}  // namespace gantry::embed_local
