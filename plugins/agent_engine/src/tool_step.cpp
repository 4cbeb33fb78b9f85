// SPDX-License-Identifier: Apache-2.0
#include "tool_step.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "event.hpp"
#include "ids.hpp"
#include "json_schema.hpp"
#include "text.hpp"
#include "tool_failures.hpp"
#include "tool_limits.hpp"
#include "tool_policy.hpp"
#include "tool_wait.hpp"

namespace gantry::agent {
namespace {

std::string content_text(const std::vector<ContentBlock>& content) {
  std::string out;
  const auto add = [&out](const std::string& text) { out += (out.empty() ? "" : "\n") + text; };
  for (const ContentBlock& block : content) {
    switch (block.kind) {
      case ContentKind::Text: add(block.text); break;
      case ContentKind::Resource:
        add(block.text.empty() ? "[" + block.uri + ": " + block.media_type + "]" : block.text);
        break;
      case ContentKind::Link: add("[" + block.name + ": " + block.uri + "]"); break;
      case ContentKind::Audio: add("[sound, " + block.media_type + "]"); break;
      case ContentKind::Image: break;
    }
  }
  return out;
}

/// Who acts, for audits and for what is bound to one session (confirmations of the guard): the
/// protocol and its user. What a protocol adds about one query, such as a text of its client after
/// an '@', neither names nor separates sessions.
std::string acting_caller(const std::string& caller, const Session& session) {
  const std::string_view name = std::string_view(caller).substr(0, caller.find_first_of("+@"));
  return std::string(cut_end(name, 128)) + "@" + session.id().substr(0, 16);
}

}  // namespace

std::string ToolStep::problem_of(const LlmToolCall& call, const AgentTool* tool) const {
  if (!call.problem.empty()) return call.problem;
  const bool by_client = tool != nullptr && tool->place == ToolPlace::Client;
  if (std::string much = limit_problem(call, calls_.size(), by_client); !much.empty()) return much;
  if (tool == nullptr) return "there is no tool '" + call.name + "'";
  if (!tool->offered) return "the tool '" + call.name + "' must not be used: " + tool->reason;
  const auto fits_schema = check_schema(tool->schema.text, call.arguments.text);
  if (fits_schema.ok()) return {};
  if (fits_schema.error().code == Code::FailedPrecondition) {
    // The tool checks its arguments itself; a schema that is no use must not make it useless.
    core_.host.log().warn("arguments of a tool cannot be checked here",
                          {{"tool", call.name}, {"reason", fits_schema.error().message}});
    return {};
  }
  return "the arguments do not fit the tool: " + fits_schema.error().message;
}

ToolStep::Call ToolStep::prepare(const LlmToolCall& call) const {
  const auto tool = std::find_if(frame_.tools->begin(), frame_.tools->end(),
                                 [&](const AgentTool& one) { return one.name == call.name; });
  const bool known = tool != frame_.tools->end();
  Call out;
  out.item.id = call.id;
  out.item.request = random_id("call_");
  out.item.name = call.name;
  out.item.arguments = call.arguments;
  if (known) {
    out.plugin = tool->plugin;
    out.item.tool = tool->name;
    out.item.kind = tool->kind;
    out.item.place = tool->place;
  }
  out.item.problem = problem_of(call, known ? &*tool : nullptr);
  if (!out.item.problem.empty()) out.item.place = ToolPlace::Nowhere;
  if (out.item.place == ToolPlace::Daemon) {
    // A command may ask for more time than other tools have.
    const std::int64_t usual = core_.settings.tools.timeout;
    out.item.timeout_ms = std::max(usual, client_wait_ms(out.item, usual));
  }
  if (out.item.place == ToolPlace::Client) {
    out.item.timeout_ms = client_wait_ms(out.item, core_.settings.tools.timeout);
    for (const ClientTool& offered : frame_.client_tools) {
      if (offered.name == out.item.tool && offered.timeout_ms > 0) {
        out.item.timeout_ms = offered.timeout_ms;
      }
    }
  }
  return out;
}

void ToolStep::begin(const std::vector<LlmToolCall>& calls) {
  for (const LlmToolCall& call : calls) calls_.push_back(prepare(call));
  ground_from(0);
}

bool ToolStep::is_grounded(const Call& call) const {
  if (call.item.place != ToolPlace::Client) return false;
  return std::any_of(
      frame_.client_tools.begin(), frame_.client_tools.end(),
      [&](const ClientTool& tool) { return tool.grounded && tool.name == call.item.tool; });
}

/// One after the other: what the client is told to do is told at once.
void ToolStep::ground_from(std::size_t index) {
  while (index < calls_.size() && !is_grounded(calls_[index])) ++index;
  if (index == calls_.size()) return tell();
  GroundingWish wish;
  wish.principal = frame_.session->key().principal;
  wish.picture = newest_picture(frame_.session->history());
  wish.arguments = calls_[index].item.arguments;
  wish.methods = frame_.coordinate_methods;
  spawn(
      core_.tasks, ground(core_, errand_, std::move(wish)),
      [weak = weak_from_this(), index](const Result<GroundedArguments>& found) {
        if (const auto self = weak.lock()) self->take_place(index, found);
      },
      [weak = weak_from_this(), index](const std::exception_ptr&) {
        const auto self = weak.lock();
        if (!self) return;
        self->take_place(
            index,
            Error{Code::ResourceExhausted, "there is not enough memory to find the place", {}});
      });
}

void ToolStep::take_place(std::size_t index, const Result<GroundedArguments>& found) {
  if (errand_->given_up() || announced_) return;
  ToolCallItem& item = calls_[index].item;
  if (found.ok()) {
    item.arguments = found->arguments;
    item.grounding = found->grounding;
  } else {
    item.problem = found.error().message;
    item.place = ToolPlace::Nowhere;
  }
  ground_from(index + 1);
}

void ToolStep::tell() {
  announce();
  frame_.session->journal().when_written([weak = weak_from_this()](const Result<void>& written) {
    const auto self = weak.lock();
    if (self && written.ok()) self->start_more();
  });
}

void ToolStep::announce() {
  announced_ = true;
  std::vector<ToolCallItem> of_client;
  for (const Call& call : calls_) {
    if (call.item.place == ToolPlace::Client) of_client.push_back(call.item);
  }
  ToolCallsBody body;
  if (of_client.size() > 1) {
    body.bundle = bundle_ = random_id("bundle_");
    const std::int64_t together = client_wait_ms(of_client, core_.settings.tools.timeout);
    for (Call& call : calls_) {
      if (call.item.place == ToolPlace::Client) {
        call.item.timeout_ms = std::max(call.item.timeout_ms, together);
      }
    }
  }
  for (const Call& call : calls_) body.calls.push_back(call.item);
  frame_.session->log(body_event(EventKind::ToolCalls, body), frame_.turn);
}

std::size_t ToolStep::running() const {
  return static_cast<std::size_t>(std::count_if(calls_.begin(), calls_.end(), [](const Call& call) {
    return call.item.place == ToolPlace::Daemon &&
           (call.state == State::Running || call.state == State::Asking);
  }));
}

void ToolStep::start_more() {
  const auto self = shared_from_this();  // the last result ends the step
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    if (calls_[i].state != State::Waiting) continue;
    if (calls_[i].item.place == ToolPlace::Daemon &&
        running() >= static_cast<std::size_t>(core_.settings.tools.parallel)) {
      continue;
    }
    start(i);
  }
}

void ToolStep::start(std::size_t index) {
  Call& call = calls_[index];
  call.began_ns = core_.host.monotonic_ns();
  switch (call.item.place) {
    case ToolPlace::Nowhere:
      return finish(index, failed(index, ToolEnd::Rejected, call.item.problem));
    case ToolPlace::Client: call.state = State::Running; return limit(index, call.item.timeout_ms);
    case ToolPlace::Daemon: break;
  }
  if (call.plugin == kOwnPlugin) return run_questionnaire(index);
  const auto& always = frame_.session->record.always_allowed;
  const bool allowed = approval_mode(call.item.kind, frame_.policy,
                                     core_.settings.tools.approval) == ApprovalMode::Allow ||
                       std::find(always.begin(), always.end(), call.item.tool) != always.end();
  if (allowed) return run(index);
  ask_user(index, wish_of(call.item), [this, index](bool given) {
    if (given) return run(index);
    finish(index, failed(index, ToolEnd::Denied, "the user did not allow this call"));
  });
}

void ToolStep::run(std::size_t index) {
  Call& call = calls_[index];
  call.state = State::Running;
  limit(index, call.item.timeout_ms);
  ToolCallRequest request;
  request.name = call.item.tool;
  request.arguments = call.item.arguments;
  request.caller = acting_caller(frame_.caller, *frame_.session);
  request.session = frame_.session->id();
  request.principal = frame_.session->record.session.principal;
  request.workspace = frame_.workspace;
  request.client.elicit_form = true;  // leave can be asked for anywhere; other forms are declined
  request.progress = true;
  const std::weak_ptr<ToolStep> weak = weak_from_this();
  ToolRunEvents events;
  events.progress = [weak, index](const ToolProgress& progress) {
    const auto self = weak.lock();
    if (!self) return;
    const ToolCallItem& item = self->calls_[index].item;
    SessionEvent event =
        body_event(EventKind::ToolProgress,
                   ToolProgressBody{item.request, item.tool, progress.progress, progress.total});
    event.text = visible_text(progress.message);
    self->frame_.session->log(std::move(event), self->frame_.turn);
  };
  events.ask = [weak, index](const Ask& ask, std::function<void(AskAnswer)> answer) {
    if (const auto self = weak.lock()) self->ask_for_tool(index, ask, std::move(answer));
  };
  events.consent = [weak, index](std::function<void(bool)> answer) {
    const auto self = weak.lock();
    if (!self) return;
    if (self->calls_[index].consented) return answer(true);
    self->ask_user(index, wish_of(self->calls_[index].item), [weak, index, answer](bool given) {
      if (const auto step = weak.lock()) step->limit(index, step->calls_[index].item.timeout_ms);
      answer(given);
    });
  };
  events.end = [weak, index](Result<ToolResult> result) {
    if (const auto self = weak.lock()) self->take_result(index, std::move(result));
  };
  const ContextScope scope = core_.store.detach();
  call.run = run_tool(core_.host, call.plugin, std::move(request), std::move(events));
}

void ToolStep::limit(std::size_t index, std::int64_t ms) {
  calls_[index].limit =
      core_.host.after(std::chrono::milliseconds(ms), [weak = weak_from_this(), index, ms] {
        const auto self = weak.lock();
        if (!self) return;
        self->finish(index, self->failed(index, ToolEnd::TimedOut,
                                         "the call had no result within " +
                                             std::to_string(ms / 1000) + " seconds"));
      });
}

void ToolStep::take_result(std::size_t index, Result<ToolResult> result) {
  if (calls_[index].state == State::Over) return;
  if (!result.ok()) {
    return finish(index, failed(index, ToolEnd::Done, result.error().message));
  }
  ToolResultBody body = failed(index, ToolEnd::Done, content_text(result->content));
  body.is_error = result->is_error;
  body.structured = std::move(result->structured);
  std::vector<ContentBlock> pictures;
  for (ContentBlock& block : result->content) {
    if (block.kind == ContentKind::Image) pictures.push_back(std::move(block));
  }
  calls_[index].limit.cancel();
  keep_pictures(index, std::move(body), std::move(pictures));
}

void ToolStep::keep_pictures(std::size_t index, ToolResultBody body,
                             std::vector<ContentBlock> pictures) {
  if (pictures.empty()) return finish(index, std::move(body));
  ContentBlock picture = std::move(pictures.back());
  pictures.pop_back();
  frame_.images->keep(std::move(picture.data), std::move(picture.media_type),
                      [weak = weak_from_this(), index, body = std::move(body),
                       pictures = std::move(pictures)](ImageRef image) mutable {
                        const auto self = weak.lock();
                        if (!self) return;
                        body.images.insert(body.images.begin(), std::move(image));
                        self->keep_pictures(index, std::move(body), std::move(pictures));
                      });
}

ToolResultBody ToolStep::failed(std::size_t index, ToolEnd end, std::string text) const {
  const ToolCallItem& item = calls_[index].item;
  ToolResultBody body;
  body.id = item.id;
  body.request = item.request;
  body.name = item.name;
  body.tool = item.tool;
  body.place = item.place;
  body.end = end;
  body.is_error = true;
  body.output = std::move(text);
  return body;
}

void ToolStep::finish(std::size_t index, ToolResultBody body) {
  Call& call = calls_[index];
  if (call.state == State::Over) return;
  const auto self = shared_from_this();
  call.state = State::Over;
  call.limit.cancel();
  if (call.run) std::exchange(call.run, nullptr)->cancel();
  const auto most = static_cast<std::size_t>(core_.settings.tools.output_limit);
  body.truncated = body.output.size() > most;
  if (body.truncated) body.output = cut_middle(body.output, most);
  if (body.structured && body.structured->text.size() > most) body.structured.reset();
  if (call.began_ns != 0) {
    body.duration_ms = (core_.host.monotonic_ns() - call.began_ns) / 1'000'000;
  }
  count_failure(core_.host, body);
  frame_.session->log_result(body, frame_.turn);
  const bool all = std::all_of(calls_.begin(), calls_.end(),
                               [](const Call& one) { return one.state == State::Over; });
  if (!all) return start_more();
  if (const auto done = std::exchange(done_, {})) done();
}

bool ToolStep::take(const ClientToolResult& result) {
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const Call& call = calls_[i];
    if (call.item.request != result.call || call.item.place != ToolPlace::Client ||
        call.state == State::Over) {
      continue;
    }
    ToolResultBody body = failed(i, ToolEnd::Done, result.output);
    body.is_error = !result.success;
    if (body.is_error && !result.error.empty()) {
      body.output += (body.output.empty() ? "" : "\n") + result.error;
    }
    body.images = result.images;
    body.extra = result.extra;
    finish(i, std::move(body));
    return true;
  }
  return false;
}

void ToolStep::close_bundle(const std::string& bundle) {
  if (bundle.empty() || bundle != bundle_) return;
  const auto self = shared_from_this();
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    if (calls_[i].item.place != ToolPlace::Client || calls_[i].state == State::Over) continue;
    finish(i, failed(i, ToolEnd::Done, "the client sent no result for this call"));
  }
}

void ToolStep::cancel(const std::string& why) {
  done_ = {};
  errand_->give_up();
  if (!announced_) {
    // Nobody has been told of these calls, and nobody must run them any more.
    for (Call& call : calls_) {
      call.item.place = ToolPlace::Nowhere;
      if (call.item.problem.empty()) call.item.problem = why;
    }
    announce();
  }
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    if (calls_[i].state == State::Over) continue;
    // Marked as over before the next may start.
    Call& call = calls_[i];
    if (call.state == State::Waiting) call.state = State::Running;
  }
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    if (calls_[i].state != State::Over) finish(i, failed(i, ToolEnd::Cancelled, why));
  }
}

std::string ToolStep::running_tool() const {
  for (const Call& call : calls_) {
    if (call.state == State::Running || call.state == State::Asking) return call.item.tool;
  }
  return {};
}

bool ToolStep::waits_for_user() const {
  return std::any_of(calls_.begin(), calls_.end(),
                     [](const Call& call) { return call.state == State::Asking; });
}

}  // namespace gantry::agent
