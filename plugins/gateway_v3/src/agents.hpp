// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who can be talked to: the agents of the configuration, those that administrators made, and the
// files that tell an agent what it is. Strand only.

#include <gantry/host.hpp>
#include <gantry/task.hpp>

#include <boost/describe/class.hpp>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "settings.hpp"

namespace gantry::gateway {

/// What the store has of an agent.
struct StoredAgent {
  bool made = false;  // by an administrator; else the configuration's, and only the files count
  AgentSettings agent;
  std::map<std::string, std::string> files;
};
BOOST_DESCRIBE_STRUCT(StoredAgent, (), (made, agent, files))

using AgentPtr = std::shared_ptr<const AgentSettings>;

class Agents {
 public:
  Agents(Host& host, const std::vector<AgentSettings>& configured);

  /// Reads what the store has; without a store it begins empty.
  Task<Result<void>> load();
  /// nullptr: there is none of that name.
  [[nodiscard]] AgentPtr find(std::string_view key) const;
  /// Who answers when nobody was named.
  [[nodiscard]] const AgentPtr& usual() const;
  [[nodiscard]] const std::vector<AgentPtr>& all() const { return agents_; }
  [[nodiscard]] bool is_configured(std::string_view key) const;

  /// Makes the agent, or changes one that was made here. Errors: the store's.
  Task<Result<void>> put(AgentSettings agent);
  /// Errors: the store's.
  Task<Result<void>> remove(std::string key);

  /// Nothing: it was never written.
  [[nodiscard]] const std::string* file(const std::string& agent, const std::string& name) const;
  Task<Result<void>> set_file(std::string agent, std::string name, std::string content);

 private:
  Task<Result<void>> write(std::string key, std::optional<StoredAgent> body);
  void show(AgentSettings agent);

  Host& host_;
  std::vector<AgentPtr> agents_;
  std::vector<std::string> configured_;
  std::map<std::string, StoredAgent> stored_;
  std::set<std::string> changing_;  // keys whose record is being written
};

/// Names of the files that an agent may have; those with words for the model are in this order.
[[nodiscard]] const std::vector<std::string>& agent_files();
[[nodiscard]] bool is_told(std::string_view file);

/// "Code Reviewer" → "code-reviewer"; empty when nothing of it can be in a key.
[[nodiscard]] std::string agent_key_of_name(std::string_view name);

}  // namespace gantry::gateway
