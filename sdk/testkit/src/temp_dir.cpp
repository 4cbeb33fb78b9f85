// SPDX-License-Identifier: Apache-2.0
#include <gantry/testkit/temp_dir.hpp>

#include <stdlib.h>

#include <fstream>
#include <string>
#include <system_error>

namespace gantry::testkit {

namespace fs = std::filesystem;

TempDir::TempDir() {
  std::string pattern = (fs::temp_directory_path() / "gantry-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "mkdtemp " + pattern);
  }
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path TempDir::write(std::string_view name, std::string_view content) const {
  fs::path file = path_ / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  return file;
}

}  // namespace gantry::testkit
