// SPDX-License-Identifier: Apache-2.0
#include "config/written.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "config/yaml.hpp"

namespace gantry::config {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeading =
    "# Written by the daemon: settings that an administrator changed while it ran. They are above\n"
    "# the configuration's files. To undo them, take lines out or remove the file, and reload.\n";

/// What says which code is loaded, where things are kept, and whether any of this counts.
constexpr std::array<std::string_view, 5> kFilesOnly{"kernel.plugin_dirs", "kernel.state_dir",
                                                     "kernel.models_dir", "kernel.write_settings",
                                                     "log.file"};

std::string system_reason() { return std::generic_category().message(errno); }

Error cannot_write(const fs::path& file, const std::string& reason) {
  return unavailable("the settings cannot be written to " + file.string() + ": " + reason,
                     "make room there, or give the daemon the right to write");
}

/// A descriptor that is closed.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool write_all(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t wrote = ::write(fd_, text.data(), text.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(wrote));
    }
    return fsync(fd_) == 0;
  }

 private:
  int fd_;
};

/// What was renamed or removed in a folder holds after a crash too.
Result<void> sync_folder(const fs::path& file) {
  const Descriptor dir(open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (dir.get() < 0 || fsync(dir.get()) != 0) return cannot_write(file, system_reason());
  return {};
}

Result<void> replace_file(const fs::path& file, std::string_view text) {
  std::string fresh = file.string() + ".XXXXXX";
  const Descriptor out(mkostemp(fresh.data(), O_CLOEXEC));  // with mode 0600
  if (out.get() < 0) return cannot_write(file, system_reason());
  if (out.write_all(text) && rename(fresh.c_str(), file.c_str()) == 0) return sync_folder(file);
  const std::string reason = system_reason();
  unlink(fresh.c_str());
  return cannot_write(file, reason);
}

void refuse_files_only(const Entry& section, Diagnostics& diagnostics) {
  for (const auto& key : section.value.as_map()) {
    if (!is_for_files(section.key, key.key)) continue;
    diagnostics.error(key.origin, join_path(section.key, key.key),
                      "only the configuration's files may say this");
  }
}

void refuse_all_but_config(const Value& plugins, Diagnostics& diagnostics) {
  for (const auto& plugin : plugins.as_map()) {
    const std::string path = join_path("plugins", plugin.key);
    if (!plugin.value.is_map() && !plugin.value.is_null()) {
      diagnostics.error(plugin.origin, path,
                        "found " + plugin.value.describe() + ", allowed: {config: {…}}");
    }
    for (const auto& key : plugin.value.as_map()) {
      if (key.key == "config") continue;
      diagnostics.error(key.origin, join_path(path, key.key),
                        "only the configuration's files may say this, allowed here: config");
    }
  }
}

}  // namespace

std::optional<Value> load_written(const fs::path& file, Diagnostics& diagnostics) {
  struct stat info {};
  if (stat(file.c_str(), &info) != 0 && errno == ENOENT) return Value::map();
  const bool ours = info.st_uid == 0 || info.st_uid == geteuid();
  if (!ours || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    diagnostics.error({file.string(), 0}, "",
                      "others may change these settings; chown it to the daemon's user and chmod "
                      "600, or remove it");
    return std::nullopt;
  }
  return load_yaml(file, diagnostics);
}

Result<void> save_written(const fs::path& file, const Value& written) {
  if (written.as_map().empty()) {
    if (unlink(file.c_str()) == 0) return sync_folder(file);
    return errno == ENOENT ? Result<void>() : cannot_write(file, system_reason());
  }
  std::error_code error;
  if (fs::create_directories(file.parent_path(), error)) {
    fs::permissions(file.parent_path(), fs::perms::owner_all, error);
  }
  if (error) return cannot_write(file, error.message());
  return replace_file(file, std::string(kHeading) + to_yaml(written, Redact::kNo));
}

bool is_for_files(std::string_view section, std::string_view key) {
  const std::string path = join_path(section, key);
  return std::find(kFilesOnly.begin(), kFilesOnly.end(), path) != kFilesOnly.end();
}

bool admit_written(const Value& written, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  if (!written.is_map()) {
    diagnostics.error(written.origin, "", "found " + written.describe() + ", allowed: a map");
  }
  for (const auto& section : written.as_map()) {
    if (section.key == "profile") {
      diagnostics.error(section.origin, "profile", "only the main file chooses a profile");
    } else if (section.key == "plugins") {
      refuse_all_but_config(section.value, diagnostics);
    } else {
      refuse_files_only(section, diagnostics);  // names of others are refused by the schema
    }
  }
  return diagnostics.error_count() == before;
}

void leave_out_unlisted(Value& written, const Value& tree, Diagnostics& diagnostics) {
  Value* plugins = written.find("plugins");
  if (plugins == nullptr) return;
  const Value* listed = tree.find("plugins");
  std::vector<std::string> gone;
  for (const auto& plugin : plugins->as_map()) {
    if (listed != nullptr && listed->find(plugin.key) != nullptr) continue;
    diagnostics.warning(plugin.origin, join_path("plugins", plugin.key),
                        "is left out: the configuration's files do not list this plugin");
    gone.push_back(plugin.key);
  }
  for (const auto& name : gone) plugins->erase(name);
}

}  // namespace gantry::config
