// SPDX-License-Identifier: Apache-2.0
// Any text as a plugin.yaml: a manifest, or findings that say why not.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "config/reference.hpp"
#include "config/yaml.hpp"
#include "plugin/manifest.hpp"
#include "plugin/resolver.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gantry;
  const std::string text(reinterpret_cast<const char*>(data), size);
  config::Diagnostics diagnostics;
  const auto tree = config::parse_yaml(text, "plugin.yaml", diagnostics);
  if (!tree) {
    if (!diagnostics.has_errors()) std::abort();
    return 0;
  }
  const auto manifest = plugin::parse_manifest(*tree, "/p", diagnostics);
  if (manifest.has_value() == diagnostics.has_errors()) std::abort();
  (void)plugin::VersionRange::parse(text);
  (void)plugin::ContractRef::parse(text);
  if (!manifest) return 0;
  // Defaults that the manifest accepted must be accepted as a configuration.
  config::Diagnostics findings;
  const auto typed = config::apply_schema(manifest->config, config::Value::map(), "", findings);
  for (const auto& finding : findings.items()) {
    if (finding.message.find("is required") == std::string::npos) std::abort();
  }
  (void)config::to_json(typed, config::Redact::kSecrets);
  (void)config::reference_markdown({{manifest->name, manifest->summary, &manifest->config}});
  (void)plugin::resolve({{&*manifest}, {&*manifest}});
  return 0;
}
