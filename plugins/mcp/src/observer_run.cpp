// SPDX-License-Identifier: Apache-2.0
#include "observer_run.hpp"

#include <boost/json/parse.hpp>
#include <chrono>
#include <utility>

#include "json_rpc.hpp"
#include "json_text.hpp"
#include "observer_answer.hpp"
#include "observer_tools.hpp"
#include "result_budget.hpp"

namespace gantry::mcp {
namespace {

namespace json = boost::json;

constexpr auto kTick = std::chrono::seconds(1);
constexpr const char* kConfirm = "confirm";

std::string merged(const Json& arguments, std::string_view key, std::string_view value_json) {
  boost::system::error_code problem;
  json::value value = json::parse(arguments.text, problem);
  if (problem || !value.is_object()) return arguments.text;
  value.get_object().insert_or_assign(json::string_view(key.data(), key.size()),
                                      json::parse({value_json.data(), value_json.size()}));
  return json_text(value);
}

class ObserverRun final : public Run, public std::enable_shared_from_this<ObserverRun> {
 public:
  ObserverRun(std::shared_ptr<ObserverSource> source, ToolCallRequest request, ToolEvents events)
      : source_(std::move(source)), request_(std::move(request)), events_(std::move(events)) {}

  void begin() {
    began_ns_ = source_->environment().now_ns();
    if (request_.progress && takes_long(request_.name)) tick();
    // An act is not repeated when its answer is too long, so it is told the limit beforehand.
    const std::size_t budget = text_budget(source_->settings());
    std::string arguments = request_.arguments.text;
    if (request_.name.ends_with("_and_observe") && source_->takes(request_.name, "max_bytes") &&
        !has("max_bytes")) {
      arguments = merged(request_.arguments, "max_bytes", std::to_string(budget));
    }
    call(std::move(arguments),
         [](ObserverRun& self, const ObserverToolResult& result) { self.first_answer(result); });
  }

  void answer(AskAnswer answer) override {
    if (answer.id != kConfirm || token_.empty()) return;
    boost::system::error_code problem;
    const json::value value = json::parse(answer.result.text, problem);
    const json::object* object = problem ? nullptr : value.if_object();
    const bool accepted = object != nullptr && answer.error.empty() &&
                          text_member(*object, "action") == "accept" && allows(*object);
    if (!accepted) return decline(answer.error);
    call(merged(request_.arguments, "confirm_token", quoted(token_)),
         [](ObserverRun& self, const ObserverToolResult& result) {
           self.finish(observer_answer(result, self.request_));
         });
  }

  void cancel() override {
    events_ = {};
    ticking_.reset();
    handle_.cancel();
  }

 private:
  using Then = void (*)(ObserverRun&, const ObserverToolResult&);

  [[nodiscard]] bool has(std::string_view key) const {
    boost::system::error_code problem;
    const json::value value = json::parse(request_.arguments.text, problem);
    return !problem && value.is_object() && member(value.get_object(), key) != nullptr;
  }

  void call(std::string arguments, Then then) { call(request_.name, std::move(arguments), then); }

  void call(const std::string& tool, std::string arguments, Then then) {
    ObserverToolRequest request;
    request.tool = tool;
    request.arguments = Json(std::move(arguments));
    request.caller = request_.caller;
    handle_ = source_->ask(std::move(request),
                           [self = shared_from_this(), then](Result<ObserverToolResult> result) {
                             if (!self->events_.update) return;  // cancelled meanwhile
                             if (result.ok()) {
                               then(*self, *result);
                             } else {
                               self->end(result.error());
                             }
                           });
  }

  void first_answer(const ObserverToolResult& result) {
    if (result.error_code == "ConfirmationRequired" && request_.client.elicit_form) {
      ObjectText arguments;
      arguments.add("action", request_.name);
      arguments.raw("args", request_.arguments.text);
      return call(
          "propose_action", arguments.take(),
          [](ObserverRun& self, const ObserverToolResult& proposal) { self.ask_user(proposal); });
    }
    const bool long_tree =
        result.ok && result.result.text.size() > text_budget(source_->settings()) &&
        source_->takes(request_.name, "format") && !request_.name.ends_with("_and_observe") &&
        !has("format") &&
        (request_.name == "get_window_structure" || request_.name == "observe_window");
    if (!long_tree) return finish(observer_answer(result, request_));
    // The same as short lines, in pages.
    Json arguments(merged(request_.arguments, "format", R"("lines")"));
    arguments = Json(
        merged(arguments, "max_bytes", std::to_string(text_budget(source_->settings()) * 9 / 10)));
    call(arguments.text, [](ObserverRun& self, const ObserverToolResult& lines) {
      self.finish(observer_answer(lines, self.request_));
    });
  }

  /// The user decides. What the screen says about the target is shown as what it is: a quotation.
  void ask_user(const ObserverToolResult& proposal) {
    boost::system::error_code problem;
    const json::value value = json::parse(proposal.result.text, problem);
    const json::object* object = problem ? nullptr : value.if_object();
    const auto token = object == nullptr ? std::nullopt : text_member(*object, "confirm_token");
    if (!proposal.ok || !token) return finish(observer_answer(proposal, request_));
    token_ = *token;
    const json::object* target = object_member(*object, "would_target");
    const std::string where =
        target == nullptr ? std::string() : text_member(*target, "selector").value_or("");
    Ask ask;
    ask.id = kConfirm;
    ask.kind = AskKind::ElicitForm;
    ask.message = "May the assistant run " + request_.name +
                  (where.empty() ? std::string("?") : " on this element? " + where);
    ask.params =
        Json(R"({"requestedSchema":{"type":"object","properties":{"allow":{"type":)"
             R"("boolean","title":"Allow it once","default":false}},"required":["allow"]}})");
    ToolUpdate update;
    update.asks.push_back(std::move(ask));
    const auto tell = events_.update;
    tell(update);
  }

  static bool allows(const json::object& answer) {
    const json::object* content = object_member(answer, "content");
    const json::value* allow = content == nullptr ? nullptr : member(*content, "allow");
    return allow != nullptr && allow->is_bool() && allow->get_bool();
  }

  void decline(const std::string& why) {
    ObjectText error;
    error.add("code", "ConfirmationDeclined");
    error.add("message", why.empty()
                             ? "the user did not allow it; nothing was done"
                             : "the user could not be asked (" + why + "); nothing was done");
    error.add("recoverable", false);
    error.raw("suggested_next_tool", "null");
    error.raw("context", "{}");
    ObserverToolResult result;
    result.ok = false;
    result.error_code = "ConfirmationDeclined";
    result.result =
        Json(ObjectText().raw("error", error.text()).add("ok", false).add("success", false).text());
    finish(observer_answer(result, request_));
  }

  void tick() {
    ToolUpdate update;
    const double seconds = static_cast<double>(source_->environment().now_ns() - began_ns_) / 1e9;
    update.progress = ToolProgress{seconds, std::nullopt, request_.name + " is under way"};
    if (const auto tell = events_.update) tell(update);
    if (!events_.update) return;
    ticking_ = source_->environment().after(kTick, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->tick();
    });
  }

  void finish(ToolResult result) {
    ticking_.reset();
    ToolUpdate update;
    update.result = std::move(result);
    if (const auto tell = std::exchange(events_, {}).update) tell(update);
  }

  void end(const Error& error) {
    ticking_.reset();
    if (const auto tell = std::exchange(events_, {}).end) tell(error);
  }

  std::shared_ptr<ObserverSource> source_;
  ToolCallRequest request_;
  ToolEvents events_;
  CallHandle handle_;
  std::string token_;
  std::int64_t began_ns_ = 0;
  std::shared_ptr<void> ticking_;
};

}  // namespace

std::shared_ptr<Run> start_observer_run(std::shared_ptr<ObserverSource> source,
                                        ToolCallRequest request, ToolEvents events) {
  auto run =
      std::make_shared<ObserverRun>(std::move(source), std::move(request), std::move(events));
  run->begin();
  return run;
}

}  // namespace gantry::mcp
