// SPDX-License-Identifier: Apache-2.0
#include "agents.hpp"

#include <algorithm>
#include <utility>

#include "documents.hpp"

namespace gantry::gateway {
namespace {

constexpr const char* kAgentCollection = "agents";
constexpr std::size_t kLongestAgentKey = 64;

}  // namespace

const std::vector<std::string>& agent_files() {
  static const std::vector<std::string> kNames{"AGENTS.md",   "SOUL.md",     "IDENTITY.md",
                                               "USER.md",     "TOOLS.md",    "HEARTBEAT.md",
                                               "MEMORY.json", "BOOTSTRAP.md"};
  return kNames;
}

bool is_told(std::string_view file) {
  return file == "AGENTS.md" || file == "SOUL.md" || file == "IDENTITY.md" || file == "USER.md" ||
         file == "TOOLS.md";
}

std::string agent_key_of_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    if (upper) {
      out += static_cast<char>(c - 'A' + 'a');
    } else if (plain) {
      out += c;
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  out.resize(std::min(out.size(), kLongestAgentKey));
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out;
}

Agents::Agents(Host& host, const std::vector<AgentSettings>& configured) : host_(host) {
  for (const AgentSettings& agent : configured) {
    configured_.push_back(agent.key);
    agents_.push_back(std::make_shared<const AgentSettings>(agent));
  }
}

Task<Result<void>> Agents::load() {
  auto reading = load_all<StoredAgent>(host_, kAgentCollection,
                                       [this](const std::string& key, StoredAgent stored) {
                                         // The configuration has the last word about a name.
                                         if (stored.made && !is_configured(key)) show(stored.agent);
                                         stored_.insert_or_assign(key, std::move(stored));
                                       });
  co_return co_await std::move(reading);
}

AgentPtr Agents::find(std::string_view key) const {
  const auto found = std::find_if(agents_.begin(), agents_.end(),
                                  [key](const AgentPtr& agent) { return agent->key == key; });
  return found == agents_.end() ? nullptr : *found;
}

const AgentPtr& Agents::usual() const {
  const auto found = std::find_if(agents_.begin(), agents_.end(),
                                  [](const AgentPtr& agent) { return agent->key == "default"; });
  return found == agents_.end() ? agents_.front() : *found;
}

bool Agents::is_configured(std::string_view key) const {
  return std::find(configured_.begin(), configured_.end(), key) != configured_.end();
}

void Agents::show(AgentSettings agent) {
  const auto made = std::make_shared<const AgentSettings>(std::move(agent));
  for (AgentPtr& known : agents_) {
    if (known->key != made->key) continue;
    known = made;
    return;
  }
  agents_.push_back(made);
}

Task<Result<void>> Agents::write(std::string key, std::optional<StoredAgent> body) {
  std::optional<Json> text;
  if (body) text = Json(to_json(*body));
  // Each change is made of the record as it was: a second one meanwhile would undo the first.
  if (!changing_.insert(key).second) {
    co_return Error{Code::Aborted, "the agent is being changed; try again", {}};
  }
  auto writing = write_document(host_, kAgentCollection, key, std::move(text), true);
  Result<void> written = co_await std::move(writing);
  changing_.erase(key);
  co_return written;
}

Task<Result<void>> Agents::put(AgentSettings agent) {
  StoredAgent stored;
  if (const auto known = stored_.find(agent.key); known != stored_.end()) stored = known->second;
  stored.made = true;
  stored.agent = agent;
  auto writing = write(agent.key, stored);
  Result<void> written = co_await std::move(writing);
  if (!written.ok()) co_return written;
  stored_.insert_or_assign(agent.key, std::move(stored));
  show(std::move(agent));
  co_return Result<void>();
}

Task<Result<void>> Agents::remove(std::string key) {
  auto writing = write(key, std::nullopt);
  Result<void> written = co_await std::move(writing);
  if (!written.ok()) co_return written;
  stored_.erase(key);
  std::erase_if(agents_, [&key](const AgentPtr& agent) { return agent->key == key; });
  co_return Result<void>();
}

const std::string* Agents::file(const std::string& agent, const std::string& name) const {
  const auto stored = stored_.find(agent);
  if (stored == stored_.end()) return nullptr;
  const auto found = stored->second.files.find(name);
  return found == stored->second.files.end() ? nullptr : &found->second;
}

Task<Result<void>> Agents::set_file(std::string agent, std::string name, std::string content) {
  StoredAgent stored;
  if (const auto known = stored_.find(agent); known != stored_.end()) stored = known->second;
  stored.files.insert_or_assign(std::move(name), std::move(content));
  auto writing = write(agent, stored);
  Result<void> written = co_await std::move(writing);
  if (written.ok()) stored_.insert_or_assign(agent, std::move(stored));
  co_return written;
}

}  // namespace gantry::gateway
