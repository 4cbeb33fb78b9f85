// SPDX-License-Identifier: Apache-2.0
#include "wire.hpp"

#include <gantry/codec.hpp>

#include <boost/describe/enum_to_string.hpp>
#include <boost/json/parse.hpp>

#include <gantry/agent_http/text.hpp>

namespace gantry::agent_http {
namespace {

namespace json = boost::json;

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

}  // namespace

json::object registered_view(const RegisteredInstall& made) {
  return {{"success", true},
          {"user_id", made.user_id},
          {"install_id", made.install_id},
          {"install_token", made.install_token}};
}

json::object me_view(const IdentityVerified& who) {
  return {{"success", true}, {"user_id", who.subject}, {"install_id", who.credential_id}};
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
