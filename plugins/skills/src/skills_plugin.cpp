// SPDX-License-Identifier: Apache-2.0
#include "skills_plugin.hpp"

#include <gantry/contract.hpp>
#include <gantry/contracts/store.hpp>

#include <gantry/tools/text.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "front_matter.hpp"
#include "skill_text.hpp"

namespace gantry::skills {
namespace {

constexpr std::size_t kMaxDisabled = 1000;

/// What a handler works with, on a thread where waiting is allowed.
struct Work {
  std::shared_ptr<Library> catalogue;
  SettingsPtr settings;
  Switches switches;
};

Result<SkillListing> list(const Work& work, const SkillListRequest& request) {
  SkillListing all = work.catalogue->list(*work.settings, request.scope, work.switches);
  if (request.offered_only) {
    std::erase_if(all.skills, [](const Skill& one) { return !one.eligible || !one.enabled; });
  }
  return all;
}

Result<SkillText> get(const Work& work, const SkillGetRequest& request) {
  GANTRY_ASSIGN(const Skill skill,
                work.catalogue->find(*work.settings, request.scope, work.switches, request.name));
  return read_skill(skill, work.settings->limits);
}

Result<SkillFileText> get_file(const Work& work, const SkillFileRequest& request) {
  GANTRY_ASSIGN(const Skill skill,
                work.catalogue->find(*work.settings, request.scope, work.switches, request.name));
  return read_skill_file(skill, request.file, work.settings->limits);
}

Result<Skill> save(const Work& work, const SkillSaveRequest& request) {
  GANTRY_ASSIGN(const std::string folder, Library::user_folder(*work.settings, request.scope));
  const std::string content =
      has_front_matter(request.content)
          ? request.content
          : write_document(request.name, request.description, request.content);
  GANTRY_TRY(read_document(request.name, content));
  if (std::ssize(content) > work.settings->limits.file) {
    return Error{Code::ResourceExhausted,
                 "the skill is longer than " + std::to_string(work.settings->limits.file) +
                     " bytes; put parts of it into files beside it",
                 {}};
  }
  GANTRY_TRY(
      write_skill(folder, request.name, content, request.create_only, work.settings->limits));
  work.catalogue->forget();
  // Not what a workspace has of the same name, but what was written.
  return work.catalogue->find(*work.settings, {request.scope.principal, {}, {}}, work.switches,
                              request.name);
}

Result<Done> remove(const Work& work, const SkillDeleteRequest& request) {
  const SkillScope own{request.scope.principal, {}, {}};
  GANTRY_ASSIGN(const Skill skill,
                work.catalogue->find(*work.settings, own, work.switches, request.name));
  if (!skill.editable) {
    return Error{Code::PermissionDenied,
                 "'" + request.name + "' is no skill of the user's; switch it off instead",
                 {}};
  }
  GANTRY_ASSIGN(const std::string folder, Library::user_folder(*work.settings, own));
  GANTRY_TRY(remove_skill(folder, request.name));
  work.catalogue->forget();
  return Done{};
}

Result<ToolResult> answer_tool(const Work& work, const SkillScope& scope,
                               const SkillArguments& arguments) {
  if (arguments.name.empty()) {
    return tools::text_result(
        list_text(work.catalogue->list(*work.settings, scope, work.switches)));
  }
  GANTRY_ASSIGN(const Skill skill,
                work.catalogue->find(*work.settings, scope, work.switches, arguments.name));
  if (!skill.enabled) return failed_precondition("the skill is switched off");
  if (!arguments.file.empty()) {
    GANTRY_ASSIGN(const SkillFileText file,
                  read_skill_file(skill, arguments.file, work.settings->limits));
    return tools::text_result(tools::visible_text(file.content) +
                              (file.truncated ? "\n[the file goes on]" : ""));
  }
  GANTRY_ASSIGN(const SkillText text, read_skill(skill, work.settings->limits));
  return tools::text_result(skill_text(text));
}

}  // namespace

SkillsPlugin::SkillsPlugin(Host& host)
    : Plugin(host),
      library_(std::make_shared<Library>([this] { this->host().post([this] { changed(); }); })),
      server_(host) {}

Result<void> SkillsPlugin::init() {
  GANTRY_TRY(reconfigure());
  GANTRY_TRY(serve<SkillList>(&list));
  GANTRY_TRY(serve<SkillGet>(&get));
  GANTRY_TRY(serve<SkillFile>(&get_file));
  GANTRY_TRY(serve_changes());
  return server_.serve({tool(describe_tool({}))});
}

Result<void> SkillsPlugin::start() {
  const Result<void> watching = library_->start();
  if (watching.ok()) {
    host().healthy("watch");
  } else {  // every list reads the folders anew then
    host().degraded("watch", watching.error().message, "raise fs.inotify.max_user_instances");
  }
  server_.announce();
  refresh_tool();
  return {};
}

Result<void> SkillsPlugin::reconfigure() {
  GANTRY_ASSIGN(Settings settings, read_settings(host().config_json()));
  server_.set_callers(settings.callers);
  const bool again = settings_ != nullptr;
  settings_ = std::make_shared<const Settings>(std::move(settings));
  if (again) library_->forget();
  return {};
}

void SkillsPlugin::stop(Deadline) {
  server_.stop();
  library_->stop();
}

/// `work(Work, request)` runs on a thread where waiting is allowed.
template <class C, class F>
Result<void> SkillsPlugin::serve(F work) {
  return host().bus().serve<C>([this, work](const Ref<typename C::Request>& request,
                                            const CallInfo&, Reply<C> reply) {
    auto answer = std::make_shared<Reply<C>>(std::move(reply));
    with_switches(request->scope.principal, [this, work, request, answer](
                                                const Result<Switches>& switches, std::int64_t) {
      if (!switches.ok()) return answer->fail(switches.error());
      host().blocking([work, request, answer, with = Work{library_, settings_, *switches}] {
        (*answer)(work(with, *request));
      });
    });
  });
}

Result<void> SkillsPlugin::serve_changes() {
  GANTRY_TRY(serve<SkillSave>(&save));
  GANTRY_TRY(serve<SkillDelete>(&remove));
  return host().bus().serve<SkillEnable>(
      [this](const Ref<SkillEnableRequest>& request, const CallInfo&, Reply<SkillEnable> reply) {
        enable(request, std::move(reply));
      });
}

void SkillsPlugin::with_switches(const std::string& principal, WithSwitches then) {
  if (principal.empty()) return then(Switches{}, 0);
  host().bus().call<StoreGet>({kSwitches, {principal}},
                              [then = std::move(then)](const Result<Ref<StoreDocuments>>& found) {
                                // Without a store nobody has switched anything off.
                                if (!found.ok() && found.error().code == Code::Unavailable)
                                  return then(Switches{}, 0);
                                if (!found.ok()) return then(found.error(), 0);
                                if ((*found)->documents.empty()) return then(Switches{}, 0);
                                const StoredDocument& document = (*found)->documents.front();
                                then(from_json<Switches>(document.body.text), document.version);
                              });
}

void SkillsPlugin::enable(const Ref<SkillEnableRequest>& request, Reply<SkillEnable> reply) {
  const std::string& principal = request->scope.principal;
  if (principal.empty()) return reply.fail(invalid_argument("scope.principal is empty"));
  if (!is_skill_name(request->name)) return reply.fail(not_found("there is no such skill"));
  auto answer = std::make_shared<Reply<SkillEnable>>(std::move(reply));
  with_switches(
      principal, [this, request, answer](Result<Switches> switches, std::int64_t version) {
        if (!switches.ok()) return answer->fail(switches.error());
        std::vector<std::string>& off = switches->disabled;
        std::erase(off, request->name);
        if (!request->enabled) off.push_back(request->name);
        if (off.size() > kMaxDisabled) off.erase(off.begin());
        StoreWriteRequest change;
        change.changes.push_back(
            {kSwitches, request->scope.principal, Json(to_json(*switches)), version});
        const Work with{library_, settings_, *switches};
        host().blocking([this, request, answer, with, change]() mutable {
          Result<Skill> skill =
              with.catalogue->find(*with.settings, request->scope, with.switches, request->name);
          if (!skill.ok()) return answer->fail(skill.error());
          host().bus().call<StoreWrite>(
              std::move(change),
              [this, answer, skill = std::move(*skill)](const Result<Ref<StoreWritten>>& done) {
                if (!done.ok()) return answer->fail(done.error());
                (*answer)(skill);
                changed();
              });
        });
      });
}

tools::Tool SkillsPlugin::tool(ToolDescription description) {
  return {std::move(description), [this](const tools::CallPtr& call) { run_tool(call); }};
}

void SkillsPlugin::run_tool(const tools::CallPtr& call) {
  Result<SkillArguments> arguments = from_json<SkillArguments>(call->request().arguments.text);
  if (!arguments.ok()) return call->fail(arguments.error());
  const SkillScope scope{call->request().principal, call->request().workspace, {}};
  with_switches(scope.principal, [this, call, scope, arguments = std::move(*arguments)](
                                     const Result<Switches>& switches, std::int64_t) {
    if (!switches.ok()) return call->fail(switches.error());
    host().blocking([call, scope, arguments, with = Work{library_, settings_, *switches}] {
      if (!call->over()) call->answer(answer_tool(with, scope, arguments));
    });
  });
}

/// The tool names the skills that everybody has.
void SkillsPlugin::refresh_tool() {
  host().blocking([this, with = Work{library_, settings_, {}}] {
    Settings shared = *with.settings;
    shared.user.clear();
    SkillListing all = with.catalogue->list(shared, {}, {});
    std::erase_if(all.skills, [](const Skill& skill) { return !skill.eligible; });
    host().post([this, description = describe_tool(all.skills)]() mutable {
      if (description.description == described_) return;
      described_ = description.description;
      std::vector<tools::Tool> tools;
      tools.push_back(tool(std::move(description)));
      server_.replace(std::move(tools));
    });
  });
}

void SkillsPlugin::changed() {
  host().bus().publish<SkillsChanged>({library_->revision()});
  refresh_tool();
}

}  // namespace gantry::skills
