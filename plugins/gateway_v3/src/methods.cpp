// SPDX-License-Identifier: Apache-2.0
// The table of methods: who may ask for what. A method that is not in it does not exist; one
// without a role is for nobody.
#include <algorithm>
#include <array>
#include <utility>

#include "call.hpp"

namespace gantry::gateway {
namespace {

constexpr std::string_view kNoLinks = "agents do not delegate to each other here";
constexpr std::string_view kNoTeams = "this daemon has no teams of agents";
constexpr std::string_view kChannelsFixed =
    "channels are plugins of the daemon's configuration; add or remove them there";
constexpr std::string_view kNoHeartbeat =
    "this daemon has no heartbeat; make a job with cron.create";
constexpr std::string_view kNoHooks = "this daemon has no hooks";
constexpr std::string_view kOneTenant = "this daemon has one tenant";
constexpr std::string_view kSkillFolders = "skills are folders with a SKILL.md; change them there";

/// A method that clients know and this daemon has not.
Method absent(std::string_view name, Role role, std::string_view why) {
  return {name,
          role,
          role >= Role::Admin ? Scope::Admin : (role == Role::Viewer ? Scope::Read : Scope::Write),
          nullptr,
          false,
          why};
}

void add_present(std::vector<Method>& out) {
  constexpr auto kViewer = Role::Viewer;
  constexpr auto kOperator = Role::Operator;
  constexpr auto kAdmin = Role::Admin;
  const std::array rows{
      Method{"connect", kViewer, Scope::None, &connect},
      Method{"health", kViewer, Scope::None, &health},
      Method{"status", kViewer, Scope::None, &status},
      Method{"browser.pairing.status", kViewer, Scope::None, &pairing_status},
      Method{"agent", kViewer, Scope::Read, &agent_get},
      Method{"agent.wait", kViewer, Scope::Read, &agent_wait},
      Method{"agent.identity.get", kViewer, Scope::Read, &agent_identity},
      Method{"agents.list", kViewer, Scope::Read, &agents_list},
      Method{"models.list", kViewer, Scope::Read, &models_list},
      Method{"tenants.mine", kViewer, Scope::Read, &tenants_mine},
      Method{"tenants.list", kViewer, Scope::Read, &tenants_list},
      Method{"quota.usage", kViewer, Scope::Read, &quota_usage},
      Method{"usage.summary", kViewer, Scope::Read, &usage_summary},
      Method{"usage.get", kViewer, Scope::Read, &usage_summary},
      Method{"channels.list", kViewer, Scope::Read, &channels_list},
      Method{"channels.status", kViewer, Scope::Read, &channels_status},
      Method{"channels.toggle", kAdmin, Scope::Admin, &channels_toggle},
      Method{"teams.list", kViewer, Scope::Read, &teams_list},
      Method{"teams.tasks.active-by-session", kViewer, Scope::Read, &team_tasks},
      Method{"skills.list", kViewer, Scope::Read, &skills_list},
      Method{"skills.get", kViewer, Scope::Read, &skills_get},
      Method{"agents.create", kAdmin, Scope::Admin, &agents_create},
      Method{"agents.update", kAdmin, Scope::Admin, &agents_update},
      Method{"agents.delete", kAdmin, Scope::Admin, &agents_delete},
      Method{"agents.files.list", kViewer, Scope::Read, &agent_files_list},
      Method{"agents.files.get", kViewer, Scope::Read, &agent_files_get},
      Method{"agents.files.set", kOperator, Scope::Write, &agent_files_set},
      Method{"agents.links.list", kViewer, Scope::Read, &agent_links},
      Method{"channels.instances.list", kViewer, Scope::Read, &channel_instances},
      Method{"channels.instances.get", kViewer, Scope::Read, &channel_instance},
      Method{"send", kOperator, Scope::Write, &channel_send},
      Method{"hooks.list", kViewer, Scope::Read, &hooks_list},
      Method{"hooks.history", kViewer, Scope::Read, &hooks_history},
      Method{"voices.list", kViewer, Scope::Read, &voices_list},
      Method{"voices.refresh", kAdmin, Scope::Admin, &voices_list},
      Method{"heartbeat.get", kViewer, Scope::Read, &heartbeat_get},
      Method{"heartbeat.logs", kViewer, Scope::Read, &heartbeat_logs},
      Method{"heartbeat.targets", kViewer, Scope::Read, &heartbeat_targets},
      Method{"heartbeat.checklist.get", kViewer, Scope::Read, &heartbeat_checklist},
      Method{"tenants.users.list", kViewer, Scope::Read, &tenant_users},
      Method{"logs.tail", kAdmin, Scope::Admin, &logs_tail},
      Method{"config.get", kAdmin, Scope::Admin, &config_get},
      Method{"config.set", kAdmin, Scope::Admin, &config_set},
      Method{"config.schema", kAdmin, Scope::Admin, &config_schema},
      Method{"config.defaults", kAdmin, Scope::Admin, &config_defaults},
      Method{"config.patch", kAdmin, Scope::Admin, &config_patch},
      Method{"config.apply", kAdmin, Scope::Admin, &config_apply},
      Method{"chat.history", kViewer, Scope::Read, &on_session<chat_history>, true},
      Method{"chat.session.status", kViewer, Scope::Read, &on_session<chat_status>, true},
      Method{"chat.resume", kViewer, Scope::Read, &on_session<chat_resume>, true},
      Method{"chat.send", kOperator, Scope::Write, &chat_send},
      Method{"chat.abort", kOperator, Scope::Write, &chat_abort, true},
      Method{"chat.inject", kOperator, Scope::Write, &on_session<chat_inject>, true},
      Method{"sessions.list", kViewer, Scope::Read, &sessions_list, true},
      Method{"sessions.preview", kViewer, Scope::Read, &on_session<sessions_preview>, true},
      Method{"sessions.patch", kOperator, Scope::Write, &on_session<sessions_patch>, true},
      Method{"sessions.label", kOperator, Scope::Write, &on_session<sessions_label>, true},
      Method{"sessions.delete", kOperator, Scope::Write, &on_session<sessions_delete>, true},
      Method{"sessions.reset", kOperator, Scope::Write, &on_session<sessions_reset>, true},
      Method{"sessions.compact", kOperator, Scope::Write, &on_session<sessions_compact>, true},
      Method{"cron.list", kViewer, Scope::Read, &cron_list},
      Method{"cron.status", kViewer, Scope::Read, &cron_status},
      Method{"cron.runs", kViewer, Scope::Read, &cron_runs},
      Method{"cron.create", kOperator, Scope::Write, &cron_create},
      Method{"cron.update", kOperator, Scope::Write, &cron_update},
      Method{"cron.delete", kOperator, Scope::Write, &cron_delete},
      Method{"cron.toggle", kOperator, Scope::Write, &cron_toggle},
      Method{"cron.run", kOperator, Scope::Write, &cron_run},
      Method{"exec.approval.list", kViewer, Scope::Approvals, &approval_list},
      Method{"exec.approval.approve", kOperator, Scope::Approvals, &approval_approve},
      Method{"exec.approval.deny", kOperator, Scope::Approvals, &approval_deny},
      Method{"device.pair.request", kOperator, Scope::Pairing, &pair_request},
      Method{"device.pair.approve", kAdmin, Scope::Pairing, &pair_approve},
      Method{"device.pair.deny", kAdmin, Scope::Pairing, &pair_deny},
      Method{"device.pair.list", kAdmin, Scope::Pairing, &pair_list},
      Method{"device.pair.revoke", kAdmin, Scope::Pairing, &pair_revoke},
      Method{"api_keys.list", kAdmin, Scope::Admin, &keys_list},
      Method{"api_keys.create", kAdmin, Scope::Admin, &keys_create},
      Method{"api_keys.revoke", kAdmin, Scope::Admin, &keys_revoke},
  };
  out.insert(out.end(), rows.begin(), rows.end());
}

struct AbsentRow {
  Role role;
  std::string_view why;
  std::vector<std::string_view> names;
};

void add_absent(std::vector<Method>& out) {
  const std::vector<AbsentRow> rows{
      {Role::Admin,
       kNoLinks,
       {"agents.resummon", "agents.links.create", "agents.links.update", "agents.links.delete"}},
      {Role::Viewer,
       kNoTeams,
       {"teams.get", "teams.tasks.list", "teams.tasks.get", "teams.workspace.list",
        "teams.workspace.read", "teams.events.list"}},
      {Role::Operator,
       kNoTeams,
       {"teams.tasks.approve", "teams.tasks.reject", "teams.tasks.comment", "teams.tasks.create",
        "teams.tasks.assign", "teams.workspace.delete"}},
      {Role::Admin,
       kNoTeams,
       {"teams.create", "teams.delete", "teams.update", "teams.members.add", "teams.members.remove",
        "teams.tasks.delete"}},
      {Role::Operator, kChannelsFixed, {"zalo.personal.qr.start", "whatsapp.qr.start"}},
      {Role::Admin,
       kChannelsFixed,
       {"channels.instances.create", "channels.instances.update", "channels.instances.delete"}},
      {Role::Admin,
       kNoHeartbeat,
       {"heartbeat.set", "heartbeat.toggle", "heartbeat.test", "heartbeat.checklist.set"}},
      {Role::Operator, kNoHooks, {"hooks.test"}},
      {Role::Admin, kNoHooks, {"hooks.create", "hooks.update", "hooks.delete", "hooks.toggle"}},
      {Role::Viewer, kOneTenant, {"tenants.get"}},
      {Role::Admin,
       kOneTenant,
       {"tenants.create", "tenants.update", "tenants.users.add", "tenants.users.remove"}},
      {Role::Admin, kSkillFolders, {"skills.update"}},
  };
  for (const AbsentRow& row : rows) {
    for (const std::string_view name : row.names) out.push_back(absent(name, row.role, row.why));
  }
}

}  // namespace

const std::vector<Method>& all_methods() {
  static const std::vector<Method> kMethods = [] {
    std::vector<Method> out;
    add_present(out);
    add_absent(out);
    std::sort(out.begin(), out.end(),
              [](const Method& a, const Method& b) { return a.name < b.name; });
    return out;
  }();
  return kMethods;
}

const Method* find_method(std::string_view name) {
  if (name == "chat.session_status") name = "chat.session.status";
  const std::vector<Method>& methods = all_methods();
  const auto found = std::lower_bound(
      methods.begin(), methods.end(), name,
      [](const Method& method, std::string_view wanted) { return method.name < wanted; });
  return found == methods.end() || found->name != name ? nullptr : &*found;
}

}  // namespace gantry::gateway
