// SPDX-License-Identifier: Apache-2.0
#include "plugin/resolver.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "config/diagnostic.hpp"

namespace gantry::plugin {
namespace {

bool is_kernel_contract(const ContractRef& ref) { return ref.name.starts_with("gantry.kernel."); }

std::vector<const Manifest*> providers(const ContractRef& ref,
                                       const std::vector<const Manifest*>& among) {
  std::vector<const Manifest*> found;
  for (const Manifest* manifest : among) {
    if (manifest->serves(ref)) found.push_back(manifest);
  }
  return found;
}

std::string names(const std::vector<const Manifest*>& manifests) {
  std::vector<std::string> words;
  words.reserve(manifests.size());
  for (const Manifest* manifest : manifests) words.push_back(manifest->name);
  return config::join(words);
}

class Resolver {
 public:
  explicit Resolver(const ResolveInput& input) : input_(input), alive_(input.enabled) {}

  Resolution run() {
    refuse_missing();
    refuse_cycles();
    for (const Manifest* manifest : alive_) note_optional(*manifest);
    order();
    return std::move(result_);
  }

 private:
  // Removing one plugin can leave another without its provider: until nothing changes.
  void refuse_missing() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (const Manifest* manifest : std::vector<const Manifest*>(alive_)) {
        const std::string reason = missing(*manifest);
        if (reason.empty()) continue;
        refuse(*manifest, reason);
        changed = true;
      }
    }
  }

  void refuse(const Manifest& manifest, const std::string& reason) {
    result_.refused[manifest.name] = reason;
    std::erase(alive_, &manifest);
  }

  std::string missing(const Manifest& manifest) const {
    for (const auto& wanted : manifest.requires_contracts) {
      if (is_kernel_contract(wanted) || !providers(wanted, alive_).empty()) continue;
      std::string reason = "requires " + wanted.to_string() + ", which no enabled plugin serves";
      const auto refused = providers(wanted, input_.enabled);
      const auto known = providers(wanted, input_.known);
      if (!refused.empty()) {
        const std::string& name = refused.front()->name;
        const auto why = result_.refused.find(name);
        reason = "requires " + wanted.to_string() + " from " + name + ", which cannot start: " +
                 (why == result_.refused.end() ? "unknown" : why->second);
      } else if (!known.empty()) {
        reason += "; enable one of: " + names(known);
      } else {
        reason += ", and no installed plugin could";
      }
      return reason;
    }
    return {};
  }

  void refuse_cycles() {
    while (true) {
      const auto cycle = find_cycle();
      if (cycle.empty()) return;
      const std::string text = "is part of a cycle: " + describe(cycle);
      for (const Manifest* manifest : cycle) refuse(*manifest, text);
      refuse_missing();
    }
  }

  // The contract that makes `from` wait for `to`, or "".
  static std::string link(const Manifest& from, const Manifest& to) {
    for (const auto& wanted : from.requires_contracts) {
      if (to.serves(wanted)) return wanted.to_string();
    }
    return {};
  }

  static std::string describe(const std::vector<const Manifest*>& cycle) {
    std::string text = cycle.front()->name;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const Manifest& next = *cycle[(i + 1) % cycle.size()];
      text += " -(" + link(*cycle[i], next) + ")-> " + next.name;
    }
    return text;
  }

  std::vector<const Manifest*> waits_for(const Manifest& manifest) const {
    std::vector<const Manifest*> out;
    for (const Manifest* other : alive_) {
      if (other != &manifest && !link(manifest, *other).empty()) out.push_back(other);
    }
    return out;
  }

  std::vector<const Manifest*> find_cycle() const {
    std::set<const Manifest*> done;
    std::vector<const Manifest*> path;
    std::vector<const Manifest*> cycle;
    const std::function<bool(const Manifest*)> visit = [&](const Manifest* at) {
      const auto again = std::find(path.begin(), path.end(), at);
      if (again != path.end()) {
        cycle.assign(again, path.end());
        return true;
      }
      if (!done.insert(at).second) return false;
      path.push_back(at);
      for (const Manifest* next : waits_for(*at)) {
        if (visit(next)) return true;
      }
      path.pop_back();
      return false;
    };
    for (const Manifest* manifest : alive_) {
      if (visit(manifest)) break;
    }
    return cycle;
  }

  void note_optional(const Manifest& manifest) {
    for (const auto& wanted : manifest.optional_contracts) {
      if (is_kernel_contract(wanted) || !providers(wanted, alive_).empty()) continue;
      const auto known = providers(wanted, input_.known);
      result_.notes.push_back(manifest.name + " works without " + wanted.to_string() +
                              (known.empty() ? "" : "; served by: " + names(known)));
    }
  }

  // Required links must hold; optional ones only where they make no cycle, so they are followed
  // last and given up silently: also where what is optional needs a plugin that is being placed
  // further up, by whatever kind of links it led here.
  void order() {
    std::set<const Manifest*> placed;
    std::set<const Manifest*> open;
    const std::function<void(const Manifest*)> place = [&](const Manifest* at) {
      if (placed.count(at) > 0 || !open.insert(at).second) return;
      for (const Manifest* other : waits_for(*at)) {
        result_.needs[at->name].push_back(other->name);
        place(other);
      }
      for (const auto& wanted : at->optional_contracts) {
        for (const Manifest* other : providers(wanted, alive_)) {
          if (!needs_one_of(*other, open)) place(other);
        }
      }
      open.erase(at);
      placed.insert(at);
      result_.order.push_back(at->name);
    };
    for (const Manifest* manifest : alive_) place(manifest);
  }

  /// Whether it is one of them, or requires one, at whatever remove.
  bool needs_one_of(const Manifest& from, const std::set<const Manifest*>& open) const {
    std::set<const Manifest*> seen;
    const std::function<bool(const Manifest*)> visit = [&](const Manifest* at) {
      if (open.count(at) > 0) return true;
      if (!seen.insert(at).second) return false;
      const auto next = waits_for(*at);
      return std::any_of(next.begin(), next.end(), visit);
    };
    return visit(&from);
  }

  const ResolveInput& input_;
  std::vector<const Manifest*> alive_;
  Resolution result_;
};

}  // namespace

Resolution resolve(const ResolveInput& input) { return Resolver(input).run(); }

std::vector<std::string> dependents_of(const std::string& name,
                                       const std::vector<const Manifest*>& running) {
  std::vector<std::string> out;
  std::vector<const Manifest*> left = running;
  std::erase_if(left, [&](const Manifest* manifest) { return manifest->name == name; });
  bool changed = true;
  while (changed) {
    changed = false;
    for (const Manifest* manifest : std::vector<const Manifest*>(left)) {
      const auto& wanted = manifest->requires_contracts;
      const bool orphaned = std::any_of(wanted.begin(), wanted.end(), [&](const ContractRef& ref) {
        return !is_kernel_contract(ref) && providers(ref, left).empty();
      });
      if (!orphaned) continue;
      out.push_back(manifest->name);
      std::erase(left, manifest);
      changed = true;
    }
  }
  return out;
}

}  // namespace gantry::plugin
