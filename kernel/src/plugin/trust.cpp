// SPDX-License-Identifier: Apache-2.0
#include "plugin/trust.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace gantry::plugin {
namespace {

std::string octal(mode_t mode) {
  char text[8];
  std::snprintf(text, sizeof text, "%04o", static_cast<unsigned>(mode & 07777U));
  return text;
}

std::string distrust_one(const std::filesystem::path& path, uid_t user, bool sticky_is_fine) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    return path.string() + ": " + std::generic_category().message(errno);
  }
  if (info.st_uid != 0 && info.st_uid != user) {
    return path.string() + " belongs to user " + std::to_string(info.st_uid) +
           ", allowed: root or user " + std::to_string(user) + " (chown it)";
  }
  const bool writable = (info.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  const bool sticky = sticky_is_fine && (info.st_mode & S_ISVTX) != 0;
  if (writable && !sticky) {
    return path.string() + " has mode " + octal(info.st_mode) +
           " and others may change it (chmod go-w " + path.string() + ")";
  }
  return {};
}

}  // namespace

std::string distrust(const std::filesystem::path& file, uid_t user) {
  std::error_code error;
  const auto real = std::filesystem::canonical(file, error);
  if (error) return file.string() + ": " + error.message();
  std::string reason = distrust_one(real, user, false);
  auto dir = real.parent_path();
  bool own_folder = true;
  while (reason.empty()) {
    reason = distrust_one(dir, user, !own_folder);
    own_folder = false;
    if (dir == dir.root_path()) break;
    dir = dir.parent_path();
  }
  return reason;
}

bool is_inside(const std::filesystem::path& path, const std::filesystem::path& root) {
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(path, error);
  const auto base = std::filesystem::weakly_canonical(root, error);
  if (error || base.empty()) return false;
  auto at = real.begin();
  for (const auto& part : base) {
    if (part.empty()) continue;  // a trailing slash
    if (at == real.end() || *at != part) return false;
    ++at;
  }
  return true;
}

}  // namespace gantry::plugin
