// SPDX-License-Identifier: Apache-2.0
// Settings that were written while the daemon ran: a file in the state folder that is a layer above
// the configuration's files and below the environment and --set. It has the shape of those files,
// but only keys that change what the daemon does, none that say what code it loads, where it keeps
// things, or which plugins there are.
//
// Thread rules: plain functions; who writes is alone (the kernel's loop thread).
#pragma once

#include <gantry/result.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/layers.hpp"
#include "config/schema.hpp"
#include "config/value.hpp"

namespace gantry::config {

inline constexpr std::string_view kWrittenName = "settings.yaml";

/// What the file holds; one that is not there is an empty map. One that others may change is an
/// error.
std::optional<Value> load_written(const std::filesystem::path& file, Diagnostics& diagnostics);

/// Replaces the file in one step, mode 0600, and returns when it is on the disk. An empty map
/// removes it. Errors: unavailable, with the system's reason.
Result<void> save_written(const std::filesystem::path& file, const Value& written);

/// Whether a key of `kernel` or `log` is for the configuration's files alone.
bool is_for_files(std::string_view section, std::string_view key);

/// Every key that only the configuration's files may hold is an error.
bool admit_written(const Value& written, Diagnostics& diagnostics);

/// Settings of a plugin that the files do not list would start it unasked: they are left out, with
/// a warning.
void leave_out_unlisted(Value& written, const Value& tree, Diagnostics& diagnostics);

/// The keys of one section: "kernel", "log", or a plugin's.
struct SectionKeys {
  std::string section;
  std::string path;  ///< "kernel", "plugins.mcp.config"
  const Schema* schema = nullptr;

  /// The section in a tree that has the shape of a file; nullptr: it has none.
  const Value* in(const Value& tree) const;
  Value* in(Value& tree) const;
};

/// Marks what the schemas call a secret.
void mark_secrets(Value& tree, const std::vector<SectionKeys>& sections);

/// Makes a client's change ready to be laid over `written`: its text stands for itself (no variable
/// of the environment is named by it, no file read for a secret), a secret that it shows as *** is
/// what was written before, and `origin` is where all of it comes from.
void take_change(Value& change, const Value& written, const std::vector<SectionKeys>& sections,
                 const Origin& origin, Diagnostics& diagnostics);

/// Keys that are `files_only` are errors, but for those that say what is in force (`effective`, a
/// tree in the shape of a file) as a client was shown it: they are taken out.
void refuse_files_only(Value& change, const Value& effective,
                       const std::vector<SectionKeys>& sections, Diagnostics& diagnostics);

/// Lays `change` over `written`; null takes a key out of it.
void lay_change(Value& written, const Value& change);

/// Takes out what the configuration without written settings says as well, and maps that are empty.
void drop_what_files_say(Value& written, const Settings& without, const Settings& with,
                         const std::vector<SectionKeys>& sections);

/// A key that the environment or --set holds to another value than `change` wants is an error: the
/// change would have no effect.
void refuse_overruled(const Value& change, const Settings& with,
                      const std::vector<SectionKeys>& sections, const Origin& origin,
                      Diagnostics& diagnostics);

}  // namespace gantry::config
