// SPDX-License-Identifier: Apache-2.0
//
// TempDir: a private folder that goes with its object.
#pragma once

#include <filesystem>
#include <string_view>

namespace gantry::testkit {

class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Writes a file, with its folders, and returns its path. Readable by the owner only, as the
  /// kernel's trust check wants it.
  std::filesystem::path write(std::string_view name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

}  // namespace gantry::testkit
