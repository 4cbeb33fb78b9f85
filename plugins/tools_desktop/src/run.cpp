// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include <gantry/contracts/observe.hpp>
#include <gantry/llm/json.hpp>

#include <chrono>

namespace gantry::desk {
namespace {

namespace json = boost::json;
using llm::jsv;

constexpr std::int64_t kUsualLimit = 60'000;  // ms; the input lane may be busy for a while
constexpr std::int64_t kMargin = 5'000;       // beyond what the tool itself may take
constexpr const char* kConsent = "consent";

Seen read_answer(const Result<Ref<ObserverToolResult>>& answer) {
  Seen seen;
  if (!answer.ok()) {
    seen.code = std::string(code_name(answer.error().code));
    seen.message = answer.error().message;
    return seen;
  }
  seen.ok = (*answer)->ok;
  seen.code = (*answer)->error_code;
  seen.message = (*answer)->message;
  seen.text = (*answer)->result.text;
  json::value value = llm::parse_or_null(seen.text);
  if (value.is_object()) seen.answer = std::move(value.get_object());
  return seen;
}

Seen not_allowed(const std::string& why) {
  Seen seen;
  seen.code = "ConfirmationDeclined";
  seen.message = why + "; nothing was done";
  return seen;
}

/// The Yes of an elicitation: {"action": "accept", "content": {"allow": true}}.
bool allows(const AskAnswer& answer) {
  const json::value value = llm::parse_or_null(answer.result.text);
  const json::value* allow = llm::at(value, {"content", "allow"});
  return llm::text_of(value, "action") == "accept" && allow != nullptr && allow->is_bool() &&
         allow->get_bool();
}

}  // namespace

Task<Seen> Run::ask_observer(std::string tool, json::object given, std::int64_t limit_ms) {
  ObserverToolRequest request;
  request.tool = std::move(tool);
  request.arguments = Json(codec::serialize(given));
  request.caller = call_->request().caller;
  CallOptions options;
  options.timeout = std::chrono::milliseconds(limit_ms + kMargin);
  const auto answer = co_await call<ObserverTool>(std::move(request), std::move(options));
  co_return read_answer(answer);
}

Task<Seen> Run::observe(std::string tool, json::object given) {
  return observe(std::move(tool), std::move(given), kUsualLimit);
}

Task<Seen> Run::observe(std::string tool, json::object given, std::int64_t limit_ms) {
  Seen first = co_await ask_observer(tool, given, limit_ms);
  if (first.code != "ConfirmationRequired") co_return first;
  std::string why_not;
  std::string question = "May the assistant run " + tool + "? " + first.message;
  const bool allowed = co_await consent(std::move(question), why_not);
  if (!allowed) co_return not_allowed(why_not);
  json::object proposal{{"action", jsv(tool)}, {"args", given}};
  std::string propose = "propose_action";
  Seen proposed = co_await ask_observer(std::move(propose), std::move(proposal), limit_ms);
  if (!proposed.ok) co_return proposed;
  const json::value promise(std::move(proposed.answer));
  given["confirm_token"] = jsv(llm::text_of(promise, "confirm_token"));
  co_return co_await ask_observer(std::move(tool), std::move(given), limit_ms);
}

Task<bool> Run::consent(std::string question, std::string& why_not) {
  if (!call_->request().client.elicit_form) {
    why_not =
        "the guard wants a confirmation for this (" + question + "), and nobody can be asked here";
    co_return false;
  }
  Ask ask;
  ask.id = kConsent;
  ask.message = std::move(question);
  ask.params =
      Json(R"({"requestedSchema":{"type":"object","properties":{"allow":{"type":"boolean",)"
           R"("title":"Allow it once","default":false}},"required":["allow"]}})");
  const AskAnswer answer = co_await completion<AskAnswer>([this, &ask](auto done) {
    const tools::CallPtr call = call_;
    call->ask(std::move(ask), std::move(done));
  });
  if (allows(answer)) co_return true;
  why_not = answer.error.empty() ? "the user did not allow it"
                                 : "the user could not be asked (" + answer.error + ')';
  co_return false;
}

Task<bool> Run::pause(std::int64_t ms) {
  if (cancelled_) co_return false;
  co_return co_await completion<bool>([this, ms](auto done) {
    wake_ = std::move(done);
    timer_ = desk_.host.after(std::chrono::milliseconds(ms), [weak = weak_from_this()] {
      // What runs goes on without this closure, which a further pause takes away.
      const auto self = weak.lock();
      if (self) self->woken();
    });
  });
}

void Run::woken() {
  if (const auto wake = std::exchange(wake_, {})) wake(!cancelled_);
}

void Run::cancel() {
  const auto self = shared_from_this();
  cancelled_ = true;
  handle_.cancel();
  woken();
}

}  // namespace gantry::desk
