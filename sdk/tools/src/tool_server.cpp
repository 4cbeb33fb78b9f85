// SPDX-License-Identifier: Apache-2.0
#include <gantry/tools/tool_server.hpp>

#include <gantry/codec.hpp>

#include <boost/json/object.hpp>

#include <algorithm>

namespace gantry::tools {
namespace {

/// Runs `use` on the object that `json` is; InvalidArgument when it is none.
template <class F>
Result<void> with_object(const Json& json, std::string_view what, F use) {
  auto look = [&](const boost::json::value& value) -> Result<void> {
    const auto* object = value.if_object();
    if (object == nullptr) {
      return invalid_argument(std::string(what) + " must be an object, not " +
                              std::string(codec::kind_of(value)));
    }
    return use(*object);
  };
  return codec::with_parsed(
      json.text,
      [](void* state, const boost::json::value& value) -> Result<void> {
        return (*static_cast<decltype(look)*>(state))(value);
      },
      &look);
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

void add_member(std::string& out, std::string_view name, std::string_view text) {
  codec::write_string(out, name);
  out += ':';
  codec::write_string(out, text);
}

}  // namespace

void Delivery::send_last(ToolUpdate update) {
  {
    const std::lock_guard lock(mutex_);
    last_ = make_body<ToolUpdate>(std::move(update));
  }
  flush();
}

void Delivery::drop() {
  const std::lock_guard lock(mutex_);
  last_ = {};
}

void Delivery::flush() {
  std::unique_lock lock(mutex_);
  if (sending_) {
    again_ = true;  // whoever sends tries once more
    return;
  }
  sending_ = true;
  while (last_) {
    const Ref<ToolUpdate> update = last_;
    again_ = false;
    lock.unlock();
    const Result<void> sent = down_.send(update);
    // Any other failure says that the caller has gone: nobody is left to tell.
    const bool full = !sent.ok() && sent.error().code == Code::ResourceExhausted;
    if (!full) down_.close();
    lock.lock();
    if (!full) last_ = {};
    if (full && !again_) break;
  }
  sending_ = false;
}

Call::~Call() {
  if (!over()) fail(internal_error("the tool ended without a result"));
}

std::string Call::owner() const {
  if (request_->session.empty()) return {};
  // The length in front, so that no two pairs look alike.
  return std::to_string(request_->principal.size()) + ":" + request_->principal + "/" +
         request_->session;
}

void Call::finish(ToolResult result) {
  if (over_.exchange(true, std::memory_order_acq_rel)) return;
  ToolUpdate update;
  update.result = std::move(result);
  down_->send_last(std::move(update));
}

void Call::fail(const Error& error) {
  if (error.code != Code::Unavailable && error.code != Code::Cancelled) {
    return finish(failed_result(error));
  }
  if (over_.exchange(true, std::memory_order_acq_rel)) return;
  down_->close(error);
}

void Call::answer(Result<ToolResult> result) {
  if (result.ok()) return finish(std::move(*result));
  fail(result.error());
}

void Call::on_cancel(std::function<void()> handler) {
  if (cancelled_) return handler();
  cancel_handler_ = std::move(handler);
}

void Call::cancel() {
  over_.store(true, std::memory_order_release);
  cancelled_ = true;
  if (const auto handler = std::exchange(cancel_handler_, {})) handler();
  AskAnswer gone;
  gone.id = asked_;
  gone.error = "the caller gave up";
  answered(gone);
}

void Call::progress(std::string message) {
  if (!request_->progress || over()) return;
  ToolUpdate update;
  update.progress = ToolProgress{++steps_, std::nullopt, std::move(message)};
  (void)down_->send(std::move(update));  // whoever reads slowly misses one
}

void Call::ask(Ask ask, std::function<void(const AskAnswer&)> then) {
  asked_ = ask.id;
  asking_ = std::move(then);
  ToolUpdate update;
  update.asks.push_back(std::move(ask));
  const Result<void> sent = down_->send(std::move(update));
  if (sent.ok() && !over()) return;
  AskAnswer unsent;
  unsent.id = asked_;
  unsent.error = sent.ok() ? "the call is over" : sent.error().message;
  answered(unsent);
}

void Call::answered(const AskAnswer& answer) {
  if (answer.id != asked_) return;
  if (const auto then = std::exchange(asking_, {})) then(answer);
}

Result<void> ToolServer::serve(std::vector<Tool> tools) {
  tools_ = std::move(tools);
  GANTRY_TRY(host_.bus().serve<ToolList>(
      [this](const Ref<Nothing>&, const CallInfo& info, Reply<ToolList> reply) {
        if (!held_) return reply(list_for(info.sender));
        waiting_lists_.emplace_back([this, sender = std::string(info.sender),
                                     reply = std::make_shared<Reply<ToolList>>(std::move(reply))] {
          (*reply)(list_for(sender));
        });
      }));
  return host_.bus().serve_stream<ToolRun>(
      [this](const Ref<ToolCallRequest>& request, const CallInfo& info, Stream<ToolUpdate> down) {
        return accept(request, info.sender, std::move(down));
      });
}

ToolDescriptions ToolServer::list_for(std::string_view plugin) const {
  ToolDescriptions out;
  if (!may_call(plugin)) return out;
  for (const Tool& tool : tools_) {
    out.tools.push_back(tool.description);
    out.tools.back().unavailable = why_not(tool);
  }
  return out;
}

std::string ToolServer::why_not(const Tool& tool) {
  return tool.why_not ? tool.why_not() : tool.description.unavailable;
}

void ToolServer::release_lists() {
  held_ = false;
  for (const auto& answer : std::exchange(waiting_lists_, {})) answer();
}

bool ToolServer::may_call(std::string_view plugin) const {
  return std::any_of(callers_.begin(), callers_.end(), [plugin](const std::string& caller) {
    return caller == "*" || caller == plugin;
  });
}

Result<StreamHandlers<AskAnswer>> ToolServer::accept(const Ref<ToolCallRequest>& request,
                                                     std::string_view sender,
                                                     Stream<ToolUpdate> down) {
  // A tool that began now would have nobody to end it.
  if (stopped_) return being_stopped();
  const auto tool = std::find_if(tools_.begin(), tools_.end(), [&](const Tool& one) {
    return one.description.name == request->name;
  });
  if (tool == tools_.end() || !may_call(sender)) {
    return not_found("there is no tool '" + request->name + "' for the plugin " +
                     std::string(sender) + "; " + host_.name() + ".callers names who may use it");
  }
  auto delivery = std::make_shared<Delivery>(std::move(down));
  auto call = std::make_shared<Call>(request, delivery);
  const std::uint64_t id = ++last_;
  open_->emplace(id, call);
  // Goes with the handlers: on_end does not come when the answer has closed the stream.
  const std::shared_ptr<void> listed(nullptr, [open = open_, id](void*) { open->erase(id); });
  StreamHandlers<AskAnswer> handlers;
  handlers.on_chunk = [weak = std::weak_ptr<Call>(call)](const Ref<AskAnswer>& answer) {
    if (const auto alive = weak.lock()) alive->answered(*answer);
  };
  handlers.on_writable = [delivery] { delivery->on_writable(); };
  handlers.on_end = [listed, delivery, weak = std::weak_ptr<Call>(call)](const Error&) {
    delivery->drop();
    const auto alive = weak.lock();
    if (alive && !alive->over()) alive->cancel();
  };
  Result<void> known;
  if (!tool->open_arguments) {
    known = check_members(tool->description.input_schema, request->arguments);
  }
  if (std::string reason = why_not(*tool); !reason.empty()) {
    known = Error{Code::Unavailable, std::move(reason), {}};
  }
  // Behind the opening: what is sent before the stream is accepted would be lost with a refusal.
  host_.post([call = std::move(call), known, run = tool->run] {
    if (!known.ok()) return call->fail(known.error());
    if (!call->over()) run(call);
  });
  return handlers;
}

Error ToolServer::being_stopped() const {
  return unavailable("the plugin " + host_.name() + " is being stopped");
}

void ToolServer::stop() {
  stopped_ = true;
  release_lists();
  for (const auto& [id, weak] : std::exchange(*open_, {})) {
    const auto call = weak.lock();
    if (!call || call->over()) continue;
    if (const auto handler = std::exchange(call->cancel_handler_, {})) handler();
    call->fail(being_stopped());
  }
}

Result<void> check_members(const Json& schema, const Json& arguments) {
  return with_object(arguments, "arguments", [&](const boost::json::object& given) {
    return with_object(schema, "the schema", [&](const boost::json::object& own) -> Result<void> {
      const auto* properties = own.if_contains("properties");
      std::vector<std::string> unknown;
      std::vector<std::string> known;
      for (const auto& [name, value] : properties->as_object()) known.emplace_back(name);
      for (const auto& [name, value] : given) {
        if (properties->as_object().contains(name)) continue;
        unknown.emplace_back(name);
      }
      if (unknown.empty()) return {};
      return invalid_argument("unknown arguments: " + joined(unknown) + "; there are " +
                              joined(known));
    });
  });
}

ToolDescription reading_tool(std::string name, std::string title, std::string description,
                             std::string schema) {
  ToolDescription out;
  out.name = std::move(name);
  out.title = std::move(title);
  out.description = std::move(description);
  out.input_schema = Json(std::move(schema));
  out.read_only = true;
  out.destructive = false;
  out.idempotent = true;
  out.open_world = false;
  return out;
}

ToolResult text_result(std::string text) {
  ToolResult result;
  ContentBlock& block = result.content.emplace_back();
  block.text = std::move(text);
  return result;
}

ToolResult failed_result(const Error& error) {
  ToolResult result = text_result(std::string(code_name(error.code)) + ": " + error.message);
  result.is_error = true;
  std::string structured = R"({"error":{)";
  add_member(structured, "code", code_name(error.code));
  structured += ',';
  add_member(structured, "message", error.message);
  result.structured = Json(structured + "}}");
  return result;
}

}  // namespace gantry::tools
