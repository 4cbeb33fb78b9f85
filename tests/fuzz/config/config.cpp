// SPDX-License-Identifier: Apache-2.0
// Any text as a configuration: it is accepted or refused with findings, and what is accepted keeps
// its meaning when it is printed and read again.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "config/layers.hpp"
#include "config/yaml.hpp"

namespace {

using namespace gantry::config;

const Schema& demo_schema() {
  static const Schema kSchema = [] {
    Diagnostics diagnostics;
    const auto tree = parse_yaml(R"(
i: {type: int, default: 1, range: [-5, 500]}
f: {type: float, default: 1.5}
s: {type: string, default: "${HOME:-x}"}
t: {type: string, secret: true}
d: {type: duration, default: 5s}
b: {type: bytes, default: 1MiB}
e: {type: enum, values: [one, two], default: one}
l: {type: list, items: int, default: []}
m: {type: map, entries: {type: map, keys: {x: {type: bool}}}}
)",
                                 "schema", diagnostics);
    return parse_schema(*tree, "config", diagnostics);
  }();
  return kSchema;
}

void check_round_trip(const Value& config) {
  Diagnostics diagnostics;
  const auto again = parse_yaml(to_yaml(config, Redact::kNo), "printed", diagnostics);
  if (!again || *again != config) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Diagnostics diagnostics;
  auto tree = parse_yaml(text, "input", diagnostics);
  if (!tree) {
    if (!diagnostics.has_errors()) std::abort();  // a refusal says why
    return 0;
  }
  Layers layers;
  if (tree->is_map()) layers.tree = *tree;
  const auto environment = Environment::of({{"HOME", "/nowhere/x"}});
  Settings settings = settle(layers, environment, diagnostics);
  for (auto& plugin : settings.plugins) {
    Diagnostics findings;
    // Secrets that name files are read, which is not what is tested here.
    if (text.find("file:") != std::string::npos) break;
    complete_plugin(plugin, demo_schema(), layers, environment, findings);
    if (!findings.has_errors()) check_round_trip(plugin.config);
  }
  parse_set(text, layers.sets, diagnostics);
  (void)diagnostics.to_string();
  (void)to_json(effective_tree(settings), Redact::kSecrets);
  return 0;
}
