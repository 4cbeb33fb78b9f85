// SPDX-License-Identifier: Apache-2.0
#include "wire.hpp"

#include <gantry/codec.hpp>

#include <boost/describe/enum_to_string.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <iterator>

#include "text.hpp"

namespace gantry::agent_http {
namespace {

namespace json = boost::json;

HttpResponse with_body(std::int32_t status, std::string body) {
  HttpResponse response;
  response.status = status;
  response.content_type = "application/json";
  response.body = Buffer::of(std::move(body));
  return response;
}

json::value text_or_null(const std::optional<std::string>& text) {
  return text ? json::value(*text) : json::value(nullptr);
}

json::value time_or_null(const std::optional<std::int64_t>& at_ms) {
  return at_ms ? json::value(iso_time(*at_ms)) : json::value(nullptr);
}

/// JSON that was checked when it came in.
json::value parsed(const Json& text) {
  json::error_code problem;
  json::value value = json::parse(text.text, problem);
  return problem ? json::value(json::object()) : value;
}

template <class E>
json::value name_of(E value) {
  return json::value(boost::describe::enum_to_string(value, ""));
}

json::value worker_of(const std::optional<RunWorker>& worker) {
  if (!worker) return nullptr;
  return json::object{{"worker_id", worker->worker_id},
                      {"vm_id", worker->vm_id},
                      {"user_id", worker->user_id},
                      {"session_id", text_or_null(worker->session_id)},
                      {"agent_id", text_or_null(worker->agent_id)}};
}

json::array files_of(const std::vector<RunFile>& files) {
  json::array out;
  for (const RunFile& file : files) {
    out.push_back(json::object{{"artifact_id", file.artifact_id},
                               {"filename", text_or_null(file.filename)},
                               {"content_type", text_or_null(file.content_type)}});
  }
  return out;
}

json::array events_of(const std::vector<RunEvent>& events) {
  json::array out;
  for (const RunEvent& event : events) out.push_back(event_view(event));
  return out;
}

std::string_view command_name(RunAction action) {
  return action == RunAction::set_control_mode ? "set-control-mode"
                                               : boost::describe::enum_to_string(action, "");
}

json::object command_view(const RunCommand& command) {
  return {{"run_id", command.run_id},
          {"command_id", command.command_id},
          {"action", command_name(command.action)},
          {"requested_by", text_or_null(command.requested_by)},
          {"control_mode", name_of(command.control_mode)},
          {"created_at", iso_time(command.created_ms)}};
}

json::object worker_view(const RunWorkerState& worker) {
  return {{"worker_id", worker.worker_id},
          {"workspace_id", worker.workspace_id},
          {"vm_id", worker.vm_id},
          {"user_id", worker.user_id},
          {"session_id", text_or_null(worker.session_id)},
          {"agent_id", text_or_null(worker.agent_id)},
          {"status", worker.status},
          {"metadata", parsed(worker.metadata)},
          {"last_heartbeat_at", iso_time(worker.last_heartbeat_ms)}};
}

struct CodeStatus {
  Code code;
  std::int32_t status;
};

constexpr CodeStatus kStatuses[] = {
    {Code::InvalidArgument, 400},    {Code::Unauthenticated, 401}, {Code::PermissionDenied, 403},
    {Code::NotFound, 404},           {Code::AlreadyExists, 409},   {Code::Aborted, 409},
    {Code::FailedPrecondition, 409}, {Code::OutOfRange, 413},      {Code::ResourceExhausted, 507},
    {Code::DeadlineExceeded, 503},   {Code::Unavailable, 503},
};

}  // namespace

HttpResponse json_response(std::int32_t status, const json::value& body) {
  return with_body(status, codec::serialize(body));
}

HttpResponse detail(std::int32_t status, std::string_view text) {
  return json_response(status, json::object{{"detail", json::string(text)}});
}

HttpResponse detail_object(std::int32_t status, std::string_view object) {
  return with_body(status, "{\"detail\":" + std::string(object) + "}");
}

HttpResponse too_many_requests(const Error& error) {
  constexpr std::int64_t kMsInSecond = 1000;
  HttpResponse response = detail(429, "Too many attempts; try again later");
  json::error_code problem;
  const json::value said = json::parse(error.detail, problem);
  const json::object* members = problem ? nullptr : said.if_object();
  const json::value* wait = members != nullptr ? members->if_contains("retry_after_ms") : nullptr;
  if (wait != nullptr && wait->is_int64()) {
    response.headers.push_back(
        {"retry-after", std::to_string((wait->get_int64() + kMsInSecond - 1) / kMsInSecond)});
  }
  return response;
}

HttpResponse invalid(const std::vector<Issue>& issues) {
  return with_body(422, validation_body(issues));
}

HttpResponse failure(const Error& error) {
  const auto found =
      std::find_if(std::begin(kStatuses), std::end(kStatuses),
                   [&error](const CodeStatus& row) { return row.code == error.code; });
  if (found != std::end(kStatuses)) return detail(found->status, error.message);
  HttpResponse response;
  response.status = 500;
  response.content_type = "text/plain; charset=utf-8";
  response.body = Buffer::copy("Internal Server Error");
  return response;
}

json::object registered_view(const RegisteredInstall& made) {
  return {{"success", true},
          {"user_id", made.user_id},
          {"install_id", made.install_id},
          {"install_token", made.install_token}};
}

json::object me_view(const IdentityVerified& who) {
  return {{"success", true}, {"user_id", who.subject}, {"install_id", who.credential_id}};
}

json::object artifact_view(const ArtifactInfo& info, std::string_view base_url) {
  return {{"artifact_id", info.artifact_id},
          {"content_type", info.content_type},
          {"size_bytes", info.size_bytes},
          {"sha256", info.sha256},
          {"url", std::string(base_url) + "/api/artifacts/" + info.artifact_id}};
}

json::object run_view(const Run& run) {
  return {{"run_id", run.run_id},
          {"workspace_id", run.workspace_id},
          {"agent_id", text_or_null(run.agent_id)},
          {"conversation_ref", run.conversation_ref},
          {"query_message_id", text_or_null(run.query_message_id)},
          {"query", run.query},
          {"requested_by", text_or_null(run.requested_by)},
          {"files", files_of(run.files)},
          {"metadata", parsed(run.metadata)},
          {"status", name_of(run.status)},
          {"control_mode", name_of(run.control_mode)},
          {"worker", worker_of(run.worker)},
          {"created_at", iso_time(run.created_ms)},
          {"updated_at", iso_time(run.updated_ms)},
          {"last_heartbeat_at", time_or_null(run.last_heartbeat_ms)},
          {"last_event_seq", run.last_event_seq}};
}

json::object event_view(const RunEvent& event) {
  return {{"seq", event.seq},
          {"timestamp", iso_time(event.at_ms)},
          {"event_type", event.event_type},
          {"source", event.source},
          {"payload", parsed(event.payload)}};
}

json::object run_with_events(const RunAndEvents& created) {
  return {{"run", run_view(created.run)}, {"events", events_of(created.events)}};
}

json::object run_with_event(const RunAndEvent& changed) {
  return {{"run", run_view(changed.run)}, {"latest_event", event_view(changed.latest_event)}};
}

json::object event_page(const RunEventPage& page) {
  return {{"run_id", page.run_id},
          {"events", events_of(page.events)},
          {"next_after_seq", page.next_after_seq}};
}

json::object heartbeat_view(const RunHeartbeatAnswer& answer) {
  json::array commands;
  for (const RunCommand& command : answer.control_commands) {
    commands.push_back(command_view(command));
  }
  json::value assigned = nullptr;
  if (answer.assigned_run) assigned = run_view(*answer.assigned_run);
  return {{"worker", worker_view(answer.worker)},
          {"assigned_run", std::move(assigned)},
          {"control_commands", std::move(commands)}};
}

json::object stopped_view(const RunsStopped& stopped) {
  json::array ids;
  for (const std::string& id : stopped.stopped_run_ids) ids.emplace_back(id);
  return {{"workspace_id", text_or_null(stopped.workspace_id)},
          {"stopped_run_ids", std::move(ids)},
          {"count", stopped.stopped_run_ids.size()}};
}

}  // namespace gantry::agent_http
