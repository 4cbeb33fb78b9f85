// SPDX-License-Identifier: Apache-2.0
#include "plugin/trust.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

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

std::filesystem::path Trust::real_folder(const std::filesystem::path& dir, std::error_code& error) {
  const auto known = real_folders_.find(dir);
  if (known != real_folders_.end()) return known->second;
  auto real = std::filesystem::canonical(dir, error);
  if (error) return {};
  return real_folders_.emplace(dir, std::move(real)).first->second;
}

const std::string& Trust::distrust_folders(const std::filesystem::path& own) {
  const auto [at, fresh] = verdicts_.try_emplace(own);
  if (!fresh) return at->second;
  std::string& reason = at->second;
  reason = distrust_one(own, user_, false);
  const auto above = own.parent_path();
  if (!reason.empty() || above == own) return reason;
  // What is above a plugin's own folder is the same for all plugins beside it.
  const auto [up, unseen] = verdicts_.try_emplace(above / "");
  for (auto dir = above; unseen && up->second.empty(); dir = dir.parent_path()) {
    up->second = distrust_one(dir, user_, true);
    if (dir == dir.root_path()) break;
  }
  return reason = up->second;
}

std::string Trust::distrust(const std::filesystem::path& file) {
  std::error_code error;
  std::error_code missing;
  const bool link = std::filesystem::is_symlink(file, missing);
  const auto real = link ? std::filesystem::canonical(file, error)
                         : real_folder(file.parent_path(), error) / file.filename();
  if (error) return file.string() + ": " + error.message();
  const std::string reason = distrust_one(real, user_, false);
  return reason.empty() ? distrust_folders(real.parent_path()) : reason;
}

bool Trust::is_inside(const std::filesystem::path& dir, const std::filesystem::path& root) {
  std::error_code error;
  const auto real = real_folder(dir, error);
  const auto base = real_folder(root, error);
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
