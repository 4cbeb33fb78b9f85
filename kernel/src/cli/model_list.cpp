// SPDX-License-Identifier: Apache-2.0
#include <Poco/SHA2Engine.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "cli/models.hpp"
#include "config/value.hpp"
#include "config/yaml.hpp"

namespace gantry::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestList = 1U << 20U;

std::string sha256_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return {};
  Poco::SHA2Engine engine(Poco::SHA2Engine::SHA_256);
  std::array<char, 1U << 16U> block{};
  while (in.read(block.data(), block.size()) || in.gcount() > 0) {
    engine.update(block.data(), static_cast<std::size_t>(in.gcount()));
  }
  return Poco::DigestEngine::digestToHex(engine.digest());
}

bool is_hash(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool stays_below(const fs::path& path) {
  return !path.empty() && path.is_relative() &&
         std::none_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

Error wrong_line(std::size_t number, const char* what) {
  return invalid_argument("line " + std::to_string(number) + " of the list of models " + what);
}

Result<void> read_pack(std::istringstream& words, std::size_t number,
                       std::vector<ModelPack>& packs) {
  ModelPack pack;
  words >> pack.name >> pack.package >> pack.version >> pack.sha256 >> pack.licence >> std::ws;
  std::getline(words, pack.purpose);
  if (pack.purpose.empty()) return wrong_line(number, "lacks a word of a pack");
  if (!is_hash(pack.sha256)) return wrong_line(number, "has no sha256 of the package");
  packs.push_back(std::move(pack));
  return {};
}

Result<void> read_file_line(std::istringstream& words, std::size_t number,
                            std::vector<ModelPack>& packs) {
  ModelFile file;
  std::string member;
  words >> file.path >> member >> file.sha256;
  if (packs.empty()) return wrong_line(number, "names a file before any pack");
  if (!stays_below(file.path)) return wrong_line(number, "names a path outside of the folder");
  if (!is_hash(file.sha256)) return wrong_line(number, "has no sha256 of the file");
  packs.back().files.push_back(std::move(file));
  return {};
}

}  // namespace

Result<std::vector<ModelPack>> read_model_list(std::string_view text) {
  std::vector<ModelPack> packs;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind.empty() || kind.front() == '#') continue;
    if (kind == "pack") {
      GANTRY_TRY(read_pack(words, number, packs));
    } else if (kind == "file") {
      GANTRY_TRY(read_file_line(words, number, packs));
    } else {
      return wrong_line(number, "begins with neither pack nor file");
    }
  }
  return packs;
}

std::string_view state_name(ModelState state) {
  constexpr std::array<std::string_view, 3> kNames{"there", "missing", "differs"};
  return kNames.at(static_cast<std::size_t>(state));
}

ModelState state_of(const ModelFile& file, const fs::path& dir, Look look) {
  std::error_code ignored;
  const fs::path path = dir / file.path;
  if (!fs::is_regular_file(path, ignored)) return ModelState::kMissing;
  if (look == Look::kPresence || sha256_of(path) == file.sha256) return ModelState::kThere;
  return ModelState::kDiffers;
}

ModelState state_of(const ModelPack& pack, const fs::path& dir, Look look) {
  auto worst = ModelState::kThere;
  for (const ModelFile& file : pack.files) worst = std::max(worst, state_of(file, dir, look));
  return worst;
}

std::string models_json(const std::vector<ModelPack>& packs, const fs::path& dir, Look look) {
  using config::quote_json;
  bool ok = true;
  std::string list;
  for (const ModelPack& pack : packs) {
    auto worst = ModelState::kThere;
    std::string files;
    for (const ModelFile& file : pack.files) {
      const ModelState state = state_of(file, dir, look);
      worst = std::max(worst, state);
      files += (files.empty() ? "" : ",");
      files += "{\"path\":" + quote_json(file.path) +
               ",\"state\":" + quote_json(state_name(state)) + "}";
    }
    ok = ok && worst == ModelState::kThere;
    list += (list.empty() ? "" : ",");
    list += "{\"name\":" + quote_json(pack.name) + ",\"package\":" + quote_json(pack.package) +
            ",\"version\":" + quote_json(pack.version) +
            ",\"licence\":" + quote_json(pack.licence) +
            ",\"purpose\":" + quote_json(pack.purpose) +
            ",\"state\":" + quote_json(state_name(worst)) + ",\"files\":[" + files + "]}";
  }
  return "{\"folder\":" + quote_json(dir.string()) + ",\"ok\":" + (ok ? "true" : "false") +
         ",\"packs\":[" + list + "]}\n";
}

void check_models(const std::vector<ModelPack>& packs, const fs::path& dir, Report& report) {
  for (const ModelPack& pack : packs) {
    const bool there = state_of(pack, dir, Look::kPresence) == ModelState::kThere;
    report.push_back({"model files", there ? Grade::kGood : Grade::kNote,
                      pack.name + ", which " + pack.purpose +
                          (there ? ", is in " : ", is not in ") + dir.string(),
                      there ? "" : "gantry models fetch " + pack.name});
  }
}

Result<std::vector<ModelPack>> installed_model_list(const fs::path& prefix) {
  const fs::path file = prefix / "share/gantry/config/models/list.txt";
  std::string reason;
  const auto text = config::read_file(file, kLongestList, reason);
  if (!text) return not_found("the list of models " + file.string() + ": " + reason);
  return read_model_list(*text);
}

}  // namespace gantry::cli
