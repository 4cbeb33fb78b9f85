// SPDX-License-Identifier: Apache-2.0
//
// Builds the word table of embed_local: embed_table WORDNET_FOLDER TABLE NOTICE
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>

#include "build_table.hpp"

namespace {

constexpr int kDimensions = 300;

bool write_file(const std::filesystem::path& file, const std::string& bytes) {
  const std::filesystem::path part = file.string() + ".part";
  std::ofstream out(part, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  std::error_code problem;
  if (out) std::filesystem::rename(part, file, problem);
  if (out && !problem) return true;
  fmt::print(stderr, "embed_table: cannot write {}\n", file.string());
  return false;
}

int run(const std::filesystem::path& wordnet, const std::filesystem::path& table,
        const std::filesystem::path& notice) {
  const auto net = gantry::embed_local::read_wordnet(wordnet);
  if (!net.ok()) {
    fmt::print(stderr, "embed_table: {}\n", net.error().message);
    return 1;
  }
  const std::string bytes = gantry::embed_local::build_table(*net, kDimensions);
  const std::string terms =
      "The word table beside this file was made of WordNet 3.0.\n\n" + net->notice;
  return write_file(notice, terms) && write_file(table, bytes) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: embed_table WORDNET_FOLDER TABLE NOTICE\n");
    return 2;
  }
  try {
    return run(argv[1], argv[2], argv[3]);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "embed_table: {}\n", failure.what());
    return 1;
  }
}
