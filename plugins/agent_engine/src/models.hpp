// SPDX-License-Identifier: Apache-2.0
#pragma once
// The models of all plugins that serve gantry.llm.*: which one a turn means, and who answers for
// it. Strand only.

#include <gantry/contracts/llm.hpp>
#include <gantry/host.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "settings.hpp"
#include "store_client.hpp"

namespace gantry::agent {

/// A model and how to reach it.
struct ChosenModel {
  std::string plugin;
  LlmModel model;
  LlmEffort effort = LlmEffort::Default;  // of "id@@high"
};

class Models {
 public:
  using Chosen = std::function<void(Result<ChosenModel>)>;

  Models(Host& host, StoreClient& store, const Settings& settings)
      : host_(host), store_(store), settings_(settings) {}

  /// Forgets what is known; after gantry.llm.changed/1.
  void forget() {
    known_ = false;
    ++changes_;
  }
  /// The model named `name` (id, provider/id, either with @@effort); empty: the configured one,
  /// else the best that is there. Errors: not_found (no such model), failed_precondition (none is
  /// there at all), unavailable (it cannot answer; the text says why and what cures it).
  /// What is known is enough to choose from, and the plugins are asked again meanwhile: their lists
  /// may have become too old, and a server that does not answer holds up nobody who needs none of
  /// it. Before a model is refused that is not known, or not known to be there, they are asked.
  void choose(const std::string& name, const std::vector<LlmCredential>& credentials,
              Chosen chosen);

 private:
  /// What the plugins say of their models.
  struct Asked {
    std::map<std::string, std::vector<LlmModel>> models;  // by plugin
    std::size_t open = 0;                                 // plugins that have not answered yet
    bool whole = true;                                    // each could ask all of its providers
  };
  void ask(const std::vector<LlmCredential>& credentials, std::function<void(Asked&)> then);
  void learn(std::function<void()> then);
  /// Asks the plugins again, beside the turn that has chosen, unless that was a moment ago.
  void look_again();
  [[nodiscard]] Result<ChosenModel> pick(const std::string& name) const;
  [[nodiscard]] Result<ChosenModel> pick_default() const;
  /// A model of a provider none of whose models is available, with the reason; nullptr: there is
  /// no such provider, or one of its models is.
  [[nodiscard]] const LlmModel* locked(std::string_view provider) const;
  /// Says in the log, once, that another model answers than one that somebody configured.
  void tell_passed_over(const ChosenModel& chosen);
  /// What there is instead of a model that there is not: some of each plugin.
  [[nodiscard]] std::string offered() const;

  Host& host_;
  StoreClient& store_;
  const Settings& settings_;
  bool known_ = false;         // models_ is what the plugins said since the last change
  bool whole_ = false;         // each of them could ask all of its providers
  bool looking_ = false;       // look_again() is under way
  std::int64_t asked_ns_ = 0;  // when the plugins were asked last
  std::uint64_t changes_ = 0;  // that were told; what was asked before the last of them is old
  std::map<std::string, std::vector<LlmModel>> models_;  // by plugin
  std::string passed_over_;                              // providers, as they were told last
};

}  // namespace gantry::agent
