// SPDX-License-Identifier: Apache-2.0
// Which model files there should be (config/models/list.txt) and which there are.
#pragma once

#include <gantry/result.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli.hpp"
#include "cli/doctor_checks.hpp"

namespace gantry::cli {

struct ModelFile {
  std::string path;  ///< below the folder of models
  std::string sha256;
};

struct ModelPack {
  std::string name;
  std::string package;
  std::string version;
  std::string sha256;  ///< of the tarball
  std::string licence;
  std::string purpose;
  std::vector<ModelFile> files;
};

/// Errors: invalid_argument (a line that is neither `pack` nor `file`, lacks a word, or names a
/// path outside of the folder).
Result<std::vector<ModelPack>> read_model_list(std::string_view text);

/// Whether its content is compared too, which takes about a second for all of them.
enum class Look { kPresence, kContent };

enum class ModelState { kThere, kMissing, kDiffers };

/// "there", "missing" or "differs".
std::string_view state_name(ModelState state);
ModelState state_of(const ModelFile& file, const std::filesystem::path& dir, Look look);
/// The worst of its files.
ModelState state_of(const ModelPack& pack, const std::filesystem::path& dir, Look look);

/// {"folder", "ok", "packs": [{"name", "package", "version", "licence", "purpose", "state",
/// "files": [{"path", "state"}]}]} and a newline.
std::string models_json(const std::vector<ModelPack>& packs, const std::filesystem::path& dir,
                        Look look);

/// A line of gantry doctor for each pack.
void check_models(const std::vector<ModelPack>& packs, const std::filesystem::path& dir,
                  Report& report);

/// The same for this installation and the configuration of an invocation.
void check_models(const Invocation& invocation, Report& report);

/// The list of this installation. Errors: not_found, and those of read_model_list().
Result<std::vector<ModelPack>> installed_model_list(const std::filesystem::path& prefix);

}  // namespace gantry::cli
