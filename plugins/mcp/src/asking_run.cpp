// SPDX-License-Identifier: Apache-2.0
#include "asking_run.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "connection.hpp"
#include "echo.hpp"

namespace gantry::mcp {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 3> kActions{"accept", "decline", "cancel"};

bool elicits(AskKind kind) { return kind == AskKind::ElicitForm || kind == AskKind::ElicitUrl; }

/// What is wrong with an answer, in a sentence.
std::string check_answer(const Ask& ask, const json::value& answer) {
  const json::object* object = answer.if_object();
  if (object == nullptr) return "the answer to '" + ask.id + "' must be an object";
  if (elicits(ask.kind)) {
    const auto action = text_member(*object, "action");
    if (!action || std::find(kActions.begin(), kActions.end(), *action) == kActions.end()) {
      return "the answer to '" + ask.id + "' needs `action`: accept, decline or cancel";
    }
  } else if (ask.kind == AskKind::Roots) {
    const json::value* roots = member(*object, "roots");
    if (roots == nullptr || !roots->is_array()) {
      return "the answer to '" + ask.id + "' needs `roots`, an array";
    }
  } else if (member(*object, "content") == nullptr) {
    return "the answer to '" + ask.id + "' needs `content`";
  }
  return {};
}

}  // namespace

void AskingRun::attach(const std::shared_ptr<Call>& call, std::weak_ptr<Connection> connection) {
  call_ = call;
  share_ = call->facts().share;
  connection_ = std::move(connection);
  const std::weak_ptr<AskingRun> self = weak_from_this();
  call->on_cancel([self] {
    if (const auto alive = self.lock()) alive->give_up();
  });
  if (result_) {
    on_result(std::exchange(result_, nullptr));
  } else if (!open_.empty()) {
    park();  // some answers are missing still
  }
}

void AskingRun::set_run(std::shared_ptr<Run> run) {
  if (ended_) {
    run->cancel();
  } else {
    run_ = std::move(run);
  }
}

std::string AskingRun::take_answers(const json::object& answers) {
  for (const Ask& ask : open_) {
    const json::value* answer = member(answers, ask.id);
    if (answer == nullptr) continue;
    if (std::string problem = check_answer(ask, *answer); !problem.empty()) return problem;
  }
  const std::vector<Ask> asked = open_;
  for (const Ask& ask : asked) {
    const json::value* answer = member(answers, ask.id);
    if (answer != nullptr) answered({ask.id, Json(json_text(*answer)), {}});
  }
  return {};
}

void AskingRun::answered(AskAnswer answer) {
  const auto asked =
      std::find_if(open_.begin(), open_.end(), [&](const Ask& ask) { return ask.id == answer.id; });
  if (asked == open_.end()) return;
  open_.erase(asked);
  if (open_.empty()) patience_.reset();
  if (run_) run_->answer(std::move(answer));
}

void AskingRun::on_progress(const ToolProgress& progress) {
  if (call_ && !ended_) call_->progress(progress);
}

void AskingRun::on_notice(const ToolNotice& notice) {
  if (call_ && !ended_) call_->notice(notice);
}

void AskingRun::on_come_back(std::int64_t ms) {
  if (call_ && !ended_) call_->outlet()->come_back(ms);
}

void AskingRun::on_asks(const std::vector<Ask>& asks) {
  if (ended_ || asks.empty()) return;
  for (const Ask& ask : asks) {
    if (call_ && !able(call_->facts().client, ask.kind)) return refuse(ask.kind);
  }
  open_.insert(open_.end(), asks.begin(), asks.end());
  if (!early_.empty() && !take_early()) return;
  if (open_.empty()) return;  // the client knew what would be asked
  if (!call_) return;         // they go out with the next request
  if (call_->revision().stateless) return park();
  for (const Ask& ask : asks) ask_client(ask);
}

/// False when the request was refused, because an answer has not the form of one.
bool AskingRun::take_early() {
  const std::string problem = take_answers(early_);
  if (problem.empty()) return true;
  const auto call = call_;
  give_up();
  if (call) call->invalid_params(problem);
  return false;
}

void AskingRun::ask_client(const Ask& ask) {
  const auto connection = connection_.lock();
  if (!connection) return;
  const std::weak_ptr<AskingRun> self = weak_from_this();
  connection->ask(*call_, ask_wire(ask, call_->revision()), [self, ask](const Message& answer) {
    const auto alive = self.lock();
    if (!alive) return;
    if (answer.error) {
      alive->answered({ask.id, Json("{}"), echoed(answer.error->message)});
    } else if (std::string problem = check_answer(ask, *answer.result); !problem.empty()) {
      alive->answered({ask.id, Json("{}"), std::move(problem)});
    } else {
      alive->answered({ask.id, Json(json_text(*answer.result)), {}});
    }
  });
  patience_ =
      core_.environment.after(std::chrono::milliseconds(core_.settings.asks.timeout), [self] {
        const auto alive = self.lock();
        if (!alive) return;
        const std::vector<Ask> open = alive->open_;
        for (const Ask& late : open) {
          alive->answered({late.id, Json("{}"), "the client has not answered in time"});
        }
      });
}

void AskingRun::refuse(AskKind kind) {
  const auto call = call_;
  give_up();
  fail_missing(*call, needed_capability(kind),
               "it asks its client (" + std::string(ask_name(kind)) +
                   "), and the client has not declared that it can be asked");
}

void AskingRun::fail_missing(Call& call, const std::string& needed, const std::string& message) {
  const std::string text = "'" + subject_.name + "' cannot run here: " + message;
  if (call.revision().stateless) {
    call.fail({kMissingCapability, text,
               ObjectText().raw("requiredCapabilities", needed.empty() ? "{}" : needed).text()},
              400);
  } else if (subject_.method == "tools/call") {
    ToolResult result;
    result.is_error = true;
    result.content.push_back(text_block(text));
    call.answer(tool_result(result, call.revision()));
  } else {
    call.fail({kInvalidParams, text, {}});
  }
}

void AskingRun::on_end(const Error& error) {
  if (std::exchange(ended_, true)) return;
  run_.reset();
  on_result([self = shared_from_this(), error](Call& call) {
    if (error.code == Code::FailedPrecondition && !needed_capabilities(error.detail).empty()) {
      return self->fail_missing(call, needed_capabilities(error.detail), error.message);
    }
    if (error.code == Code::NotFound || error.code == Code::InvalidArgument ||
        error.code == Code::OutOfRange) {
      return call.invalid_params(error.message);
    }
    if (self->subject_.method != "tools/call") {
      return call.fail({kInternalError, error.message, {}});
    }
    ToolResult result;
    result.is_error = true;
    result.content.push_back(text_block(std::string(code_name(error.code)) + ": " + error.message));
    call.answer(tool_result(result, call.revision()));
  });
}

void AskingRun::on_result(Finish finish) {
  ended_ = true;
  run_.reset();
  patience_.reset();
  if (!call_) {
    result_ = std::move(finish);
    return;
  }
  const auto call = std::exchange(call_, nullptr);
  finish(*call);
}

std::string AskingRun::input_requests() const {
  ObjectText requests;
  for (const Ask& ask : open_) {
    const AskWire wire = ask_wire(ask, newest_revision());
    ObjectText request;
    request.add("method", wire.method);
    request.raw("params", wire.params);
    requests.raw(ask.id, request.text());
  }
  return requests.take();
}

void AskingRun::park() {
  const auto call = std::exchange(call_, nullptr);
  const std::string id = random_id();
  const std::int64_t now = core_.environment.now_ns();
  const std::int64_t expires = now + core_.settings.asks.timeout * 1'000'000;
  ObjectText result;
  result.raw("inputRequests", input_requests());
  result.add("requestState", core_.sealer.seal(id, expires, subject_.binding));
  core_.parked.put(id, expires, shared_from_this(),
                   static_cast<std::size_t>(core_.settings.asks.max_parked), now);
  const std::weak_ptr<AskingRun> self = weak_from_this();
  Core& core = core_;
  patience_ = core_.environment.after(std::chrono::milliseconds(core_.settings.asks.timeout),
                                      [&core] { core.parked.sweep(core.environment.now_ns()); });
  call->answer(std::move(result), "input_required");
}

void AskingRun::give_up() {
  ended_ = true;
  call_.reset();
  result_ = nullptr;
  patience_.reset();
  open_.clear();
  if (const auto run = std::exchange(run_, nullptr)) run->cancel();
}

std::string run_binding(const Call& call, std::string_view name, const std::string& arguments) {
  std::string out = call.facts().method;
  for (const std::string_view part :
       {name, std::string_view(call.facts().principal), std::string_view(arguments)}) {
    out += '\n';
    out += sha256(part);
  }
  return out;
}

}  // namespace gantry::mcp
