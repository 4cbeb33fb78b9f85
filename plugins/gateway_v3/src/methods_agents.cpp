// SPDX-License-Identifier: Apache-2.0
// Agents that administrators make, and the files of agents.
#include <utility>

#include "call.hpp"
#include "server.hpp"

namespace gantry::gateway {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestFile = 256 << 10;
constexpr std::size_t kMostAgents = 1000;

struct NamedAgent {
  AgentPtr agent;
  std::string key;
};

/// The agent that a request must name; nothing with the refusal in `answer`.
std::optional<NamedAgent> named_agent(const Call& call, const char* usual, Answer& answer) {
  NamedAgent out;
  out.key = text(call.params(), kAgent);
  if (out.key.empty()) out.key = usual;
  if (out.key.empty()) {
    answer = refused(wire::kInvalidRequest, "agentId is required");
    return std::nullopt;
  }
  out.agent = call.server.agents().find(out.key);
  if (out.agent) return out;
  answer = refused(wire::kNotFound, "agent not found: " + out.key);
  return std::nullopt;
}

/// What a request says about an agent; what it does not say stays.
void read_agent(const json::object& params, AgentSettings& agent) {
  const auto take = [&params](const char* name, std::string& into) {
    if (auto value = given_text(params, name)) into = std::move(*value);
  };
  take("name", agent.name);
  take("description", agent.description);
  take("emoji", agent.emoji);
  take("model", agent.model);
  take("workspace", agent.workspace);
  take("system_prompt", agent.system_prompt);
}

std::optional<Answer> configured(const Call& call, const std::string& key) {
  if (!call.server.agents().is_configured(key)) return std::nullopt;
  return refused(
      wire::kFailedPrecondition,
      "the agent " + key +
          " is named in the daemon's configuration (gateway_v3.agents); change it there");
}

struct AgentFile {
  std::string agent;
  std::string name;
};

/// Which file a request means; nothing with the refusal in `answer`.
std::optional<AgentFile> named_file(const Call& call, Answer& answer) {
  const auto named = named_agent(call, "default", answer);
  if (!named) return std::nullopt;
  AgentFile out{named->agent->key, text(call.params(), {"name", "file_name", "fileName"})};
  const auto& names = agent_files();
  if (out.name.empty()) {
    answer = refused(wire::kInvalidRequest, "name is required");
  } else if (std::find(names.begin(), names.end(), out.name) == names.end()) {
    answer = refused(wire::kInvalidRequest, "file not allowed: " + out.name);
  } else {
    return out;
  }
  return std::nullopt;
}

json::object file_row(const Call& call, const std::string& agent, const std::string& name) {
  const std::string* content = call.server.agents().file(agent, name);
  json::object row{{"name", name}, {"missing", content == nullptr}};
  if (content != nullptr) row["size"] = content->size();
  return row;
}

json::object file_answer(const Call& call, const AgentFile& file) {
  json::object row = file_row(call, file.agent, file.name);
  const std::string* content = call.server.agents().file(file.agent, file.name);
  if (content != nullptr) row["content"] = *content;
  return {{"agentId", file.agent}, {"file", std::move(row)}};
}

}  // namespace

Task<Answer> agents_create(CallPtr call) {
  AgentSettings agent;
  read_agent(call->params(), agent);
  if (agent.name.empty()) co_return refused(wire::kInvalidRequest, "name is required");
  agent.key = text(call->params(), {"agent_key", "agentKey", "key"});
  if (agent.key.empty()) agent.key = agent_key_of_name(agent.name);
  if (!is_agent_key(agent.key)) {
    co_return refused(wire::kInvalidRequest,
                      "the key of an agent has 1 to 64 letters, digits and _ - .");
  }
  Agents& agents = call->server.agents();
  if (agents.find(agent.key)) {
    co_return refused(wire::kAlreadyExists, "agent already exists: " + agent.key);
  }
  if (agents.all().size() >= kMostAgents) {
    co_return refused(wire::kResourceExhausted, "there are too many agents; delete one");
  }
  json::object payload{
      {"ok", true}, {"agentId", agent.key}, {"name", agent.name}, {"workspace", agent.workspace}};
  auto putting = agents.put(std::move(agent));
  const Result<void> made = co_await std::move(putting);
  if (!made.ok()) co_return failed(made.error());
  co_return fine(std::move(payload));
}

Task<Answer> agents_update(CallPtr call) {
  Answer answer;
  const auto named = named_agent(*call, "", answer);
  if (!named) co_return answer;
  if (const auto no = configured(*call, named->key)) co_return *no;
  AgentSettings agent = *named->agent;
  read_agent(call->params(), agent);
  if (agent.name.empty()) agent.name = agent.key;
  auto putting = call->server.agents().put(std::move(agent));
  const Result<void> changed = co_await std::move(putting);
  if (!changed.ok()) co_return failed(changed.error());
  co_return fine(json::object{{"ok", true}, {"agentId", named->key}});
}

Task<Answer> agents_delete(CallPtr call) {
  Answer answer;
  const auto named = named_agent(*call, "", answer);
  if (!named) co_return answer;
  if (const auto no = configured(*call, named->key)) co_return *no;
  auto removing = call->server.agents().remove(named->key);
  const Result<void> removed = co_await std::move(removing);
  if (!removed.ok()) co_return failed(removed.error());
  co_return fine(json::object{{"ok", true}, {"agentId", named->key}, {"removedBindings", 0}});
}

Task<Answer> agent_files_list(CallPtr call) {
  Answer answer;
  const auto named = named_agent(*call, "default", answer);
  if (!named) co_return answer;
  json::array rows;
  for (const std::string& name : agent_files()) rows.push_back(file_row(*call, named->key, name));
  co_return fine(json::object{
      {"agentId", named->key}, {"workspace", named->agent->workspace}, {"files", std::move(rows)}});
}

Task<Answer> agent_files_get(CallPtr call) {
  Answer answer;
  const auto file = named_file(*call, answer);
  if (!file) co_return answer;
  co_return fine(file_answer(*call, *file));
}

Task<Answer> agent_files_set(CallPtr call) {
  Answer answer;
  const auto file = named_file(*call, answer);
  if (!file) co_return answer;
  std::string content = text(call->params(), "content");
  if (content.size() > kLongestFile) {
    co_return refused(wire::kInvalidRequest, "a file of an agent has at most 262144 bytes");
  }
  auto writing = call->server.agents().set_file(file->agent, file->name, std::move(content));
  const Result<void> written = co_await std::move(writing);
  if (!written.ok()) co_return failed(written.error());
  co_return fine(file_answer(*call, *file));
}

}  // namespace gantry::gateway
