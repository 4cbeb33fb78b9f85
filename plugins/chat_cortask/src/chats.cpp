// SPDX-License-Identifier: Apache-2.0
#include "chats.hpp"

#include <gantry/contract.hpp>
#include <gantry/contracts/approval.hpp>
#include <gantry/contracts/turn.hpp>
#include <gantry/workspace_defaults.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "outgoing.hpp"
#include "titles.hpp"
#include "turn_input.hpp"

namespace gantry::chat_cortask {
namespace {

constexpr std::uint16_t kGoingAway = 1001;
constexpr const char* kBy = "chat_cortask";
constexpr std::int64_t kRememberStopMs = 5000;
constexpr std::size_t kMostInLine = 64;  // of one session, under way or waiting

CallOptions control_lane() {
  CallOptions options;
  options.lane = GANTRY_LANE_CONTROL;
  return options;
}

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace

Chats::Chats(Host& host, const Settings& settings, const Workspaces& workspaces, Records& records,
             Startup& startup)
    : host_(host),
      settings_(settings),
      workspaces_(workspaces),
      records_(records),
      startup_(startup),
      open_(host.gauge("connections", "Open WebSockets of the chat.")),
      running_(host.gauge("runs", "Chats that run or wait.")) {}

StreamHandlers<WsMessage> Chats::accept(Stream<WsMessage> down) {
  const std::uint64_t number = ++last_number_;
  const auto connection = std::make_shared<Connection>(host_, *this, number, std::move(down));
  connections_.emplace(number, connection);
  open_.set(static_cast<double>(connections_.size()));
  return connection->open();
}

void Chats::close() {
  for (const auto& [number, connection] : std::exchange(connections_, {})) {
    connection->close(kGoingAway, "the server is going down");
  }
  for (const RunPtr& run : all_runs()) run->leave();
  lines_.clear();
}

void Chats::broadcast(const std::string& frame) {
  for (const auto& [number, connection] : connections_) connection->send(frame);
}

void Chats::on_message(const std::shared_ptr<Connection>& from, ClientMessage message) {
  std::visit(
      Overloaded{[](const NoMessage&) {},
                 [&](const BadMessage&) {
                   from->send(to_json(ErrorFrame{.sessionKey = "", .error = "Invalid JSON"}));
                 },
                 [&](ChatMessage& chat) { on_chat(from, std::move(chat)); },
                 [&](const CancelMessage& cancel) { on_cancel(cancel); },
                 [&](const PermissionAnswer& answer) { on_permission(answer); },
                 [&](const QuestionnaireReply& reply) { on_questionnaire(from, reply); }},
      message);
}

void Chats::on_room(const std::shared_ptr<Connection>& connection) {
  for (const RunPtr& run : runs_of(*connection)) run->make_room();
}

void Chats::on_gone(const std::shared_ptr<Connection>& connection) {
  connections_.erase(connection->number());
  open_.set(static_cast<double>(connections_.size()));
  const std::vector<RunPtr> theirs = runs_of(*connection);
  for (const RunPtr& run : theirs) run->detach(*connection);
  for (const RunPtr& run : theirs) {
    if (!run->has_owner()) abandon(run);
  }
}

void Chats::refuse(const std::shared_ptr<Connection>& to, const ChatMessage& message,
                   std::string_view text) {
  to->send(to_json(ErrorFrame{.sessionKey = message.session_key, .error = std::string(text)}));
}

void Chats::on_chat(const std::shared_ptr<Connection>& from, ChatMessage message) {
  auto kept = std::make_shared<ChatMessage>(std::move(message));
  startup_.when_loaded([this, from, kept](const Result<void>& loaded) {
    if (!connections_.contains(from->number())) return;  // it has gone meanwhile
    if (!loaded.ok()) return refuse(from, *kept, loaded.error().message);
    chat(from, std::move(*kept));
  });
}

void Chats::chat(const std::shared_ptr<Connection>& from, ChatMessage message) {
  const std::string spent = records_.spending_problem();
  if (!spent.empty()) return refuse(from, message, spent);
  const Workspace* workspace = workspaces_.find(message.workspace);
  if (workspace == nullptr) return refuse(from, message, "Workspace not found");
  if (!message.problem.empty()) return refuse(from, message, message.problem);
  const LineKey key{*message.session_key, workspace->id};
  const auto talk = lines_.find(key);
  if (talk != lines_.end() && talk->second.size() >= kMostInLine) {
    return refuse(from, message, "Too many messages wait in this session");
  }
  Line& line = lines_[key];
  // A run of this key that nobody is there for: here is somebody.
  for (const RunPtr& waiting : Line(line)) {
    if (!waiting->has_owner()) adopt(waiting, from);
  }
  const SessionKey session{kPrincipal, workspace->id, *message.session_key};
  std::string turn = fmt::format("cortask_{}_{}", host_.wall_ns() / 1'000'000, ++last_run_);
  const auto run =
      std::make_shared<Run>(session, std::move(turn), settings_.tool_call_arguments, from);
  run->message = std::move(message);
  run->counted_for = fmt::format("connection {}", from->number());
  line.push_back(run);
  running_.add(1);
  start_next(key);
}

void Chats::start_next(const LineKey& key) {
  const auto found = lines_.find(key);
  if (found == lines_.end()) return;
  for (const RunPtr& run : found->second) {
    if (run->stage == Run::Stage::Starting) return;
    if (run->stage == Run::Stage::Started) continue;
    run->stage = Run::Stage::Starting;
    return gather_input(host_, kPrincipal, run->session().workspace, run->message,
                        [this, run](Result<TurnInput> input) {
                          if (holds(*run)) start(run, std::move(input));
                        });
  }
}

void Chats::start(const RunPtr& run, Result<TurnInput> input) {
  if (!input.ok()) {
    run->view().fail(input.error().message);
    return forget(run);
  }
  // It may have been forgotten since the chat came, and with it what it forbids.
  const Workspace* workspace = workspaces_.find(run->session().workspace);
  if (workspace == nullptr) {
    run->view().fail("Workspace not found");
    return forget(run);
  }
  run->message.attachments.clear();
  TurnStartRequest request;
  request.session = run->session();
  request.turn = run->turn();
  request.text = std::move(input->text);
  request.content = std::move(input->content);
  request.attachments = std::move(input->artifacts);
  request.caller = kBy;
  request.options = options_for(*run, *workspace);
  host_.bus().call<TurnStart>(std::move(request),
                              [this, run](const Result<Ref<TurnStarted>>& answer) {
                                if (holds(*run)) started(run, answer);
                              });
}

TurnOptions Chats::options_for(const Run& run, const Workspace& workspace) const {
  const AgentLimits& limits = records_.config().agent;
  TurnOptions options;
  options.tools = tool_policy(settings_);
  apply_workspace(workspace, options);
  if (options.model.empty()) options.model = model_of(records_.config(), settings_);
  options.linger_ms = settings_.linger;
  options.counted_for = run.counted_for;  // everybody is one principal here
  options.max_model_calls = static_cast<std::int32_t>(limits.maxTurns);
  options.max_output_tokens = limits.maxTokens.value_or(0);
  if (limits.temperature) {
    options.model_settings = Json(fmt::format(R"({{"temperature":{}}})", *limits.temperature));
  }
  options.provider_keys = records_.provider_keys();
  return options;
}

void Chats::started(const RunPtr& run, const Result<Ref<TurnStarted>>& answer) {
  run->stage = Run::Stage::Started;
  start_next(key_of(*run));
  if (!answer.ok()) {
    run->view().fail(answer.error().message);
    return forget(run);
  }
  if ((*answer)->sequence == 1) give_title(run);  // nothing was ever said in it
  run->message = {};
  const auto watched =
      run->watch(host_, (*answer)->sequence - 1, [this, weak = std::weak_ptr<Run>(run)] {
        if (const RunPtr over = weak.lock()) forget(over);
      });
  if (watched.ok()) return;
  run->view().fail(watched.error().message);
  stop(run, "its events cannot be read");
}

void Chats::give_title(const RunPtr& run) {
  SessionPatchRequest request;
  request.session = run->session();
  request.title = title_of(run->message.text);
  host_.bus().call<SessionPatch>(
      std::move(request), [host = &host_](const Result<Ref<SessionInfo>>& patched) {
        if (patched.ok()) return;
        host->log().warn("a session has no title", {{"reason", patched.error().message}});
      });
}

/// The frame that says so goes out before anything of a later run.
void Chats::on_cancel(const CancelMessage& message) {
  for (const RunPtr& run : all_runs()) {
    if (run->session().key != message.session_key) continue;
    run->view().cancel();
    stop(run, "cancel");
  }
}

void Chats::on_permission(const PermissionAnswer& answer) {
  ApprovalAnswerRequest request;
  request.principal = kPrincipal;
  request.id = answer.request;
  request.decision = answer.approved ? Decision::Allow : Decision::Deny;
  request.by = kBy;
  // Nobody waits for an unknown one any more, or ever did: nothing is said.
  host_.bus().call<ApprovalAnswer>(
      std::move(request), [](const Result<Ref<Approval>>&) {}, control_lane());
}

void Chats::on_questionnaire(const std::shared_ptr<Connection>& from,
                             const QuestionnaireReply& reply) {
  for (const RunPtr& run : all_runs()) {
    if (run->view().asks(reply.request)) run->attach(from);
  }
  QuestionnaireAnswerRequest request;
  request.principal = kPrincipal;
  request.id = reply.request;
  request.responses = reply.responses;
  request.by = kBy;
  host_.bus().call<QuestionnaireAnswer>(
      std::move(request), [](const Result<Ref<Questionnaire>>&) {}, control_lane());
}

void Chats::abandon(const RunPtr& run) {
  if (!run->view().has_questionnaire()) return stop(run, "its client has gone");
  for (const std::string& approval : run->view().approvals()) deny(approval);
  // Whoever waits behind it in its line can answer, and would wait for ever else.
  for (const RunPtr& waiting : Line(lines_[key_of(*run)])) {
    if (const auto next = waiting->owner()) return adopt(run, next);
  }
}

void Chats::adopt(const RunPtr& run, const std::shared_ptr<Connection>& by) {
  run->attach(by);
  run->view().repeat_questions();
}

void Chats::deny(const std::string& approval) {
  ApprovalAnswerRequest request;
  request.principal = kPrincipal;
  request.id = approval;
  request.decision = Decision::Deny;
  request.by = "its client has gone";
  host_.bus().call<ApprovalAnswer>(
      std::move(request), [](const Result<Ref<Approval>>&) {}, control_lane());
}

void Chats::stop(const RunPtr& run, const char* reason) {
  TurnStopRequest request;
  request.principal = kPrincipal;
  request.session = run->session();
  request.turn = run->turn();
  request.reason = reason;
  request.remember_ms = kRememberStopMs;
  const bool known = run->stage != Run::Stage::Waiting;
  forget(run);
  if (!known) return;
  host_.bus().call<TurnStop>(
      std::move(request), [](const Result<Ref<StoppedTurns>>&) {}, control_lane());
}

void Chats::forget(const RunPtr& run) {
  run->leave();
  const LineKey key = key_of(*run);
  const auto found = lines_.find(key);
  if (found == lines_.end() || std::erase(found->second, run) == 0) return;
  running_.add(-1);
  if (found->second.empty()) {
    lines_.erase(found);
  } else {
    start_next(key);
  }
}

Chats::LineKey Chats::key_of(const Run& run) {
  return {run.session().key, run.session().workspace};
}

bool Chats::holds(const Run& run) const {
  const auto found = lines_.find(key_of(run));
  return found != lines_.end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [&run](const RunPtr& one) { return one.get() == &run; });
}

std::vector<RunPtr> Chats::runs_of(const Connection& connection) const {
  std::vector<RunPtr> out;
  for (const auto& [key, line] : lines_) {
    for (const RunPtr& run : line) {
      if (run->belongs_to(connection)) out.push_back(run);
    }
  }
  return out;
}

std::vector<RunPtr> Chats::all_runs() const {
  std::vector<RunPtr> out;
  for (const auto& [key, line] : lines_) out.insert(out.end(), line.begin(), line.end());
  return out;
}

}  // namespace gantry::chat_cortask
