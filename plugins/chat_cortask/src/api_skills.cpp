// SPDX-License-Identifier: Apache-2.0
// Skills, as the page lists and edits them.
#include <gantry/contract.hpp>
#include <gantry/contracts/skill.hpp>

#include <utility>
#include <vector>

#include "api_wire.hpp"
#include "chats.hpp"
#include "routes.hpp"
#include "workspaces.hpp"

namespace gantry::chat_cortask {
namespace {

constexpr const char* kNoSkill = "Skill not found";

SkillScope scope_of(Exchange& exchange) {
  SkillScope scope;
  scope.principal = kPrincipal;
  const Workspace* workspace =
      exchange.services().workspaces.find(exchange.query("workspaceId").value_or(""));
  if (workspace != nullptr) scope.workspace = workspace->root;
  return scope;
}

SkillView view_of(const Skill& skill) {
  SkillView view;
  view.name = skill.name;
  view.description = skill.description;
  view.eligible = skill.eligible && skill.enabled;
  if (!view.eligible) view.ineligibleReason = skill.reason;
  switch (skill.source) {
    case SkillSource::System: view.source = "bundled"; break;
    case SkillSource::User: view.source = "user"; break;
    case SkillSource::Workspace: view.source = "config-dir"; break;
  }
  view.editable = skill.editable;
  view.tags = skill.tags;
  if (!skill.homepage.empty()) view.homepage = skill.homepage;
  return view;
}

/// The failure in the API's words.
void fail_skill(Exchange& exchange, const Error& error) {
  if (error.code == Code::NotFound) return exchange.error(404, kNoSkill);
  exchange.fail(error);
}

void save_skill(Exchange& exchange, std::string name, bool create) {
  const auto content = exchange.text("content");
  if (name.empty() || !content) return exchange.error(400, "name and content are required");
  SkillSaveRequest request;
  request.scope = scope_of(exchange);
  request.name = std::move(name);
  request.content = *content;
  request.description = exchange.text("description").value_or("");
  request.create_only = create;
  exchange.host().bus().call<SkillSave>(
      std::move(request),
      [self = exchange.shared_from_this(), create](const Result<Ref<Skill>>& saved) {
        if (!saved.ok()) return fail_skill(*self, saved.error());
        self->json(to_json(view_of(**saved)), create ? 201 : 200);
      });
}

}  // namespace

void list_skills(Exchange& exchange) {
  SkillListRequest request;
  request.scope = scope_of(exchange);
  exchange.host().bus().call<SkillList>(
      std::move(request),
      [self = exchange.shared_from_this()](const Result<Ref<SkillListing>>& all) {
        // Without the plugin there are none.
        if (!all.ok() && all.error().code == Code::Unavailable) return self->json("[]");
        if (!all.ok()) return self->fail(all.error());
        std::vector<SkillView> out;
        for (const Skill& skill : (*all)->skills) out.push_back(view_of(skill));
        self->json(to_json(out));
      });
}

void create_skill(Exchange& exchange) {
  save_skill(exchange, exchange.text("name").value_or(""), true);
}

void change_skill(Exchange& exchange) { save_skill(exchange, exchange.parameters[0], false); }

void read_skill(Exchange& exchange) {
  SkillGetRequest request;
  request.scope = scope_of(exchange);
  request.name = exchange.parameters[0];
  exchange.host().bus().call<SkillGet>(
      std::move(request),
      [self = exchange.shared_from_this()](const Result<Ref<SkillText>>& found) {
        if (!found.ok()) return fail_skill(*self, found.error());
        SkillView view = view_of((*found)->skill);
        view.content = (*found)->content;
        self->json(to_json(view));
      });
}

void delete_skill(Exchange& exchange) {
  SkillDeleteRequest request;
  request.scope = scope_of(exchange);
  request.name = exchange.parameters[0];
  exchange.host().bus().call<SkillDelete>(
      std::move(request), [self = exchange.shared_from_this()](const Result<Ref<Done>>& gone) {
        if (!gone.ok()) return fail_skill(*self, gone.error());
        self->nothing();
      });
}

/// Fetching programs that nobody has read is not this server's business.
void install_skill(Exchange& exchange) {
  if (!exchange.text("gitUrl")) return exchange.error(400, "gitUrl is required");
  exchange.error(
      503,
      "Skills are not installed from git here: put the folder with its SKILL.md into the "
      "user's folder of skills");
}

void skill_without_login(Exchange& exchange) {
  exchange.error(404, "The skill '" + exchange.parameters[0] + "' has no OAuth2 log-in");
}

}  // namespace gantry::chat_cortask
