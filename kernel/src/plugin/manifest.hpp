// SPDX-License-Identifier: Apache-2.0
// plugin.yaml: what a plugin is, serves, needs and can be told. Read without opening its library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/schema.hpp"
#include "plugin/version.hpp"

namespace gantry::plugin {

/// Routes that the plugin will mount, so that `gantry check` can find two on one path. What ends in
/// _key names a configuration key of the plugin ("http.listener") that says it.
struct MountClaim {
  std::string listener;  ///< unless its key says another
  std::string listener_key;
  std::vector<std::string> paths;
  std::string path_key;  ///< one path more
  std::string prefix_key;
  std::string host_key;
  std::string enabled_key;  ///< when it is false, nothing is mounted
  /// That the plugin checks credentials itself on every route: "true", or with which text of a key
  /// it does ("token=always", "auth!=none"). A secret key that ends in "token" says it by itself.
  std::string authenticates;
  /// That its own token is asked for on the whole listener, whoever mounts there
  /// (ListenRequest::bearer_token).
  bool guards_listener = false;
};

struct Manifest {
  std::string name;
  Version version;
  unsigned abi_major = 0;
  unsigned abi_minor = 0;
  std::string summary;
  std::vector<ContractRef> provides;
  std::vector<ContractRef> requires_contracts;
  std::vector<ContractRef> optional_contracts;
  VersionRange host;  ///< `gantry:`, versions of the daemon that it works with
  std::vector<MountClaim> mounts;
  bool lazy = false;
  unsigned strands = 1;
  bool dedicated = false;
  config::Schema config;
  std::filesystem::path dir;   ///< the plugin's folder
  std::filesystem::path file;  ///< its plugin.yaml

  std::filesystem::path shared_object() const { return dir / (name + ".so"); }
  bool serves(const ContractRef& wanted) const;
};

/// Reads a manifest. Every mistake is a diagnostic; nullopt when there was one.
std::optional<Manifest> parse_manifest(const config::Value& tree, const std::filesystem::path& dir,
                                       config::Diagnostics& diagnostics);
std::optional<Manifest> load_manifest(const std::filesystem::path& dir,
                                      config::Diagnostics& diagnostics);

/// Folders under `root` that hold a plugin.yaml, sorted by name.
std::vector<std::filesystem::path> find_plugin_dirs(const std::filesystem::path& root);

/// "" when this host can load a plugin of that ABI, else a sentence with both versions in it.
std::string abi_mismatch(unsigned major, unsigned minor, unsigned host_major, unsigned host_minor);

}  // namespace gantry::plugin
