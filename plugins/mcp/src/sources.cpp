// SPDX-License-Identifier: Apache-2.0
#include "sources.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace gantry::mcp {
namespace {

constexpr std::array<std::string_view, 7> kOffers{
    ToolList::kName,     ResourceList::kName, ResourceTemplateList::kName,
    ResourceRead::kName, PromptList::kName,   PromptGet::kName,
    Complete::kName};

}  // namespace

SourceFinder::SourceFinder(Host& host, Environment& environment, const Settings& settings)
    : host_(host), observer_(std::make_shared<ObserverSource>(host, environment, settings)) {}

void SourceFinder::find(std::function<void(Sources)> done) {
  if (known_) return done(sources_);
  host_.bus().call<KernelContracts>(
      {}, [this, done = std::move(done)](Result<Ref<ContractInfoList>> contracts) {
        if (contracts.ok()) learn(**contracts);
        done(sources_);
      });
}

void SourceFinder::learn(const ContractInfoList& contracts) {
  std::map<std::string, std::set<std::string, std::less<>>> serves;
  bool observer = false;
  for (const ContractInfo& contract : contracts.contracts) {
    if (contract.name == ObserverTools::kName) observer = !contract.providers.empty();
    if (std::find(kOffers.begin(), kOffers.end(), contract.name) == kOffers.end()) continue;
    for (const std::string& plugin : contract.providers) serves[plugin].insert(contract.name);
  }
  std::map<std::string, std::shared_ptr<BusSource>> plugins;
  sources_.clear();
  if (observer) sources_.push_back(observer_);
  for (auto& [plugin, names] : serves) {
    const auto old = plugins_.find(plugin);
    const bool same = old != plugins_.end() && old->second->serves() == names;
    auto source = same ? old->second : std::make_shared<BusSource>(host_, plugin, names);
    plugins.emplace(plugin, source);
    sources_.push_back(std::move(source));
  }
  plugins_ = std::move(plugins);
  known_ = true;
}

}  // namespace gantry::mcp
