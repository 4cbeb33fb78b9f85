// SPDX-License-Identifier: Apache-2.0
#include "plugin/manifest.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "config/yaml.hpp"

namespace gantry::plugin {
namespace {

using config::Diagnostics;
using config::Entry;
using config::Kind;
using config::Value;

constexpr const char* kClaimShape =
    "a map with listener, paths or path_key, and perhaps listener_key, prefix_key, host_key, "
    "enabled_key, authenticates and guards_listener (true or false)";

class Reader {
 public:
  Reader(Manifest& manifest, Diagnostics& diagnostics)
      : manifest_(manifest), diagnostics_(diagnostics) {}

  void read(const Value& tree) {
    for (const auto& entry : tree.as_map()) read_member(entry);
    for (const auto* needed : {"name", "version", "abi", "summary"}) {
      if (tree.find(needed) == nullptr) {
        diagnostics_.error(tree.origin, needed, "is missing");
      }
    }
    const auto& served = manifest_.provides;
    for (std::size_t i = 0; i < served.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (served[i].to_string() == served[j].to_string()) {
          diagnostics_.error(tree.find("provides")->origin, "provides",
                             served[i].to_string() + " is listed twice");
        }
      }
    }
    if (manifest_.dedicated && manifest_.strands > 1) {
      diagnostics_.error(
          tree.origin, "dedicated",
          "a dedicated plugin has one strand, found strands: " + std::to_string(manifest_.strands));
    }
  }

 private:
  using Read = void (Reader::*)(const Value&);
  struct Member {
    std::string_view key;
    Read read;
  };

  void read_member(const Entry& entry) {
    static constexpr std::array kMembers{
        Member{"name", &Reader::read_name},
        Member{"version", &Reader::read_version},
        Member{"abi", &Reader::read_abi},
        Member{"summary", &Reader::read_summary},
        Member{"provides", &Reader::read_provides},
        Member{"requires", &Reader::read_requires},
        Member{"optional", &Reader::read_optional},
        Member{"gantry", &Reader::read_host},
        Member{"start", &Reader::read_start},
        Member{"strands", &Reader::read_strands},
        Member{"dedicated", &Reader::read_dedicated},
        Member{"mounts", &Reader::read_mounts},
        Member{"config", &Reader::read_config},
    };
    std::vector<std::string> known;
    key_ = entry.key;
    for (const auto& member : kMembers) {
      if (member.key == entry.key) return (this->*member.read)(entry.value);
      known.emplace_back(member.key);
    }
    diagnostics_.error(entry.origin, entry.key,
                       "unknown key." + config::did_you_mean(entry.key, known) +
                           " Allowed here: " + config::join(known));
  }

  void refuse(const Value& value, const std::string& allowed) {
    diagnostics_.error(value.origin, key_, "found " + value.describe() + ", allowed: " + allowed);
  }

  // Versions may be written without quotes: 0.1 is a float to YAML, its spelling is what counts.
  static std::string spelled(const Value& value) {
    return value.spelling.empty() ? value.as_text() : value.spelling;
  }

  void read_name(const Value& value) {
    manifest_.name = value.as_text();
    if (!config::is_plugin_name(manifest_.name))
      refuse(value, "at most 64 of the letters a-z 0-9 _");
  }
  void read_version(const Value& value) {
    const auto version = Version::parse(spelled(value));
    if (!version) return refuse(value, "a version such as 0.1.0");
    manifest_.version = *version;
  }
  void read_abi(const Value& value) {
    const auto version = Version::parse(spelled(value));
    if (!version || version->patch != 0) return refuse(value, "major.minor, such as \"1.0\"");
    manifest_.abi_major = version->major;
    manifest_.abi_minor = version->minor;
  }
  void read_summary(const Value& value) {
    manifest_.summary = value.as_text();
    if (manifest_.summary.empty()) refuse(value, "one sentence");
  }

  void read_contracts(const Value& value, bool several, std::vector<ContractRef>& out) {
    if (value.is_null()) return;
    if (!value.is_list()) return refuse(value, "a list such as [gantry.window.list/1]");
    for (const auto& item : value.as_list()) {
      const auto ref = ContractRef::parse(item.as_text());
      if (!ref || (!several && ref->first != ref->last)) {
        refuse(item, several ? "a contract such as gantry.window.list/1 or gantry.window.list/1-2"
                             : "a contract such as gantry.window.list/1");
        continue;
      }
      out.push_back(*ref);
    }
  }
  void read_provides(const Value& value) { read_contracts(value, false, manifest_.provides); }
  void read_requires(const Value& value) {
    read_contracts(value, true, manifest_.requires_contracts);
  }
  void read_optional(const Value& value) {
    read_contracts(value, true, manifest_.optional_contracts);
  }

  void read_host(const Value& value) {
    const auto range = VersionRange::parse(spelled(value));
    if (!range) return refuse(value, "a range such as \">=0.1 <0.3\"");
    manifest_.host = *range;
  }
  void read_start(const Value& value) {
    if (value.as_text() != "eager" && value.as_text() != "lazy") {
      return refuse(value, "eager, lazy");
    }
    manifest_.lazy = value.as_text() == "lazy";
  }
  void read_strands(const Value& value) {
    if (value.kind() != Kind::kInt || value.as_int() < 1 || value.as_int() > 64) {
      return refuse(value, "int in 1…64");
    }
    manifest_.strands = static_cast<unsigned>(value.as_int());
  }
  void read_dedicated(const Value& value) {
    if (value.kind() != Kind::kBool) return refuse(value, "true or false");
    manifest_.dedicated = value.as_bool();
  }
  void read_config(const Value& value) {
    manifest_.config = config::parse_schema(value, "config", diagnostics_);
  }

  void read_mounts(const Value& value) {
    if (!value.is_list()) return refuse(value, "a list such as [{listener: web, paths: [/api/x]}]");
    for (const auto& item : value.as_list()) {
      MountClaim claim;
      read_claim(item, claim);
      if (claim.listener.empty() || (claim.paths.empty() && claim.path_key.empty())) {
        refuse(item, kClaimShape);
      }
      manifest_.mounts.push_back(std::move(claim));
    }
  }
  void read_claim(const Value& item, MountClaim& claim) {
    const std::array<std::pair<std::string_view, std::string*>, 7> texts{{
        {"listener", &claim.listener},
        {"listener_key", &claim.listener_key},
        {"prefix_key", &claim.prefix_key},
        {"host_key", &claim.host_key},
        {"path_key", &claim.path_key},
        {"enabled_key", &claim.enabled_key},
        {"authenticates", &claim.authenticates},
    }};
    for (const auto& entry : item.as_map()) {
      const auto text = std::find_if(texts.begin(), texts.end(),
                                     [&](const auto& one) { return one.first == entry.key; });
      if (text != texts.end()) {
        *text->second = entry.value.spelling.empty() ? entry.value.as_text() : entry.value.spelling;
      } else if (entry.key == "paths") {
        read_paths(entry.value, claim);
      } else if (entry.key == "guards_listener" && entry.value.kind() == Kind::kBool) {
        claim.guards_listener = entry.value.as_bool();
      } else {
        refuse(item, kClaimShape);
      }
    }
  }
  void read_paths(const Value& value, MountClaim& claim) {
    for (const auto& path : value.as_list()) {
      if (!path.as_text().starts_with('/')) refuse(path, "a path that begins with /");
      claim.paths.push_back(path.as_text());
    }
  }

  Manifest& manifest_;
  Diagnostics& diagnostics_;
  std::string key_;
};

}  // namespace

bool Manifest::serves(const ContractRef& wanted) const {
  return std::any_of(provides.begin(), provides.end(), [&](const ContractRef& served) {
    return served.name == wanted.name && served.first >= wanted.first &&
           served.first <= wanted.last;
  });
}

std::optional<Manifest> parse_manifest(const Value& tree, const std::filesystem::path& dir,
                                       Diagnostics& diagnostics) {
  const std::size_t errors_before = diagnostics.error_count();
  if (!tree.is_map()) {
    diagnostics.error(tree.origin, "", "found " + tree.describe() + ", a manifest is a map");
    return std::nullopt;
  }
  Manifest manifest;
  manifest.dir = dir;
  manifest.file = dir / "plugin.yaml";
  Reader(manifest, diagnostics).read(tree);
  if (diagnostics.error_count() != errors_before) return std::nullopt;
  return manifest;
}

std::optional<Manifest> load_manifest(const std::filesystem::path& dir, Diagnostics& diagnostics) {
  const auto tree = config::load_yaml(dir / "plugin.yaml", diagnostics);
  if (!tree) return std::nullopt;
  return parse_manifest(*tree, dir, diagnostics);
}

std::vector<std::filesystem::path> find_plugin_dirs(const std::filesystem::path& root) {
  std::vector<std::filesystem::path> dirs;
  std::error_code error;
  for (std::filesystem::directory_iterator at(root, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    if (std::filesystem::exists(at->path() / "plugin.yaml", ignored)) dirs.push_back(at->path());
  }
  std::sort(dirs.begin(), dirs.end());
  return dirs;
}

std::string abi_mismatch(unsigned major, unsigned minor, unsigned host_major, unsigned host_minor) {
  const auto text = [](unsigned a, unsigned b) {
    return std::to_string(a) + "." + std::to_string(b);
  };
  if (major == host_major && minor <= host_minor) return {};
  const bool newer = major > host_major || (major == host_major && minor > host_minor);
  return "it was built for plugin ABI " + text(major, minor) + ", this daemon has " +
         text(host_major, host_minor) +
         (newer ? "; a newer daemon can load it" : "; rebuild it with this daemon's SDK");
}

}  // namespace gantry::plugin
