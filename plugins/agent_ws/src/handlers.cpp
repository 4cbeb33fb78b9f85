// SPDX-License-Identifier: Apache-2.0
// What each message of a client does.
#include <gantry/contract.hpp>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "connection.hpp"
#include "history_rows.hpp"
#include "json_field.hpp"
#include "model_rows.hpp"
#include "query_screenshot.hpp"
#include "text.hpp"
#include "turn_request.hpp"
#include "user_message.hpp"

namespace gantry::agent_ws {
namespace {

constexpr std::int64_t kRememberStopMs = 5000;
constexpr std::size_t kMaxRevisions = 256;
constexpr auto kCompactionLimit = std::chrono::minutes(10);  // a model writes the summary
constexpr const char* kCompactionBusy =
    "Cannot compact history while a query is active. Stop the current query and retry.";

/// Results of tools and stops are never refused for load.
bool has_own_lane(MessageType type) {
  return type == MessageType::ToolResult || type == MessageType::ToolBundleResult ||
         type == MessageType::StopQuery;
}

CallOptions control_lane() {
  CallOptions options;
  options.lane = GANTRY_LANE_CONTROL;
  return options;
}

CompactionReport manual_report() {
  CompactionReport report;
  report.reason = "manual";
  report.strategy = "manual";
  return report;
}

}  // namespace

void Connection::dispatch(Message message) {
  if (!has_own_lane(message.type) && tasks_ >= server_.settings().max_tasks) {
    return error(message.id, kTooManyRequests, AgentErrorCode::SESSION_ERROR);
  }
  switch (message.type) {
    case MessageType::Query: return on_query(message.id, std::get<QueryPayload>(message.payload));
    case MessageType::StopQuery:
      return on_stop(message.id, std::get<StopQueryPayload>(message.payload));
    case MessageType::Rehydrate:
      return on_rehydrate(message.id, std::get<RehydratePayload>(message.payload));
    case MessageType::CompactHistory:
      return on_compact(message.id, std::get<CompactHistoryPayload>(message.payload));
    case MessageType::LoadSettings: return on_load_settings(message.id);
    case MessageType::UpdateSettings:
      return on_update_settings(message.id, std::get<UpdateSettingsPayload>(message.payload),
                                message.raw);
    case MessageType::ListModels: return on_list_models(message.id);
    case MessageType::WakewordDetected: return on_wakeword(message.id);
    case MessageType::ToolResult:
      return on_tool_result(std::get<ToolResultPayload>(message.payload), message.raw);
    case MessageType::ToolBundleResult:
      return on_bundle_result(std::get<ToolBundleResultPayload>(message.payload), message.raw);
  }
}

const AgentDefinition* Connection::definition_for(const QueryPayload& query) const {
  if (query.agent_definition) return &*query.agent_definition;
  return definition_ ? &*definition_ : nullptr;
}

void Connection::on_query(const std::string& id, const QueryPayload& query) {
  if (blank(query.text)) {
    return error(id, "Invalid query: text must not be empty",
                 AgentErrorCode::PARSE_VALIDATION_ERROR);
  }
  last_conversation_ = query.conversation_ref;
  if (query.revision_id) {
    if (revisions_.size() >= kMaxRevisions) revisions_.clear();
    revisions_[query.conversation_ref] = *query.revision_id;
  }
  in_order(query.conversation_ref, [this, id, query] { with_screenshot(id, query); });
}

void Connection::with_screenshot(const std::string& id, const QueryPayload& query) {
  const bool wanted = server_.settings_of(principal_).values().include_query_screenshot &&
                      screenshot_refs(query).empty() &&
                      may_see_desktop(server_.settings().daemon_tools);
  if (!wanted) return ask_for_voice(id, query);
  const std::weak_ptr<Connection> weak = weak_from_this();
  take_query_screenshot(host(), principal_,
                        [weak, id, query, task = make_task()](std::string artifact) {
                          const auto self = weak.lock();
                          if (!self || self->state_ == State::Closed) return;
                          QueryPayload shown = query;
                          if (!artifact.empty()) shown.screenshot_ref = std::move(artifact);
                          self->ask_for_voice(id, shown);
                        });
}

void Connection::in_order(const std::string& conversation, std::function<void()> work) {
  const auto open = rehydrating_.find(conversation);
  if (open == rehydrating_.end()) return work();
  open->second.push_back(std::move(work));
}

void Connection::rehydrated(const std::string& conversation) {
  auto node = rehydrating_.extract(conversation);
  if (node.empty()) return;
  for (auto& work : node.mapped()) in_order(conversation, std::move(work));
}

/// The log keeps whether a turn is spoken, and if not, why: its events are numbered.
void Connection::ask_for_voice(const std::string& id, const QueryPayload& query) {
  hush_said(query.conversation_ref);
  if (!server_.settings_of(principal_).values().speech_mode_enabled) {
    return start_turn(id, query, {});
  }
  with_voice([this, id, query](const std::optional<Error>& missing) {
    QueryMarks voice;
    voice.speech = true;
    if (missing) {
      voice.mute = missing->message;
      server_.count(code_of(*missing), "an answer is not spoken", missing->message);
    }
    start_turn(id, query, voice);
  });
}

void Connection::start_turn(const std::string& id, const QueryPayload& query,
                            const QueryMarks& voice) {
  const AgentDefinition* definition = definition_for(query);
  QueryMarks marks = voice;
  marks.revision_id = query.revision_id.value_or("");
  // A manifest in a query replaces the connection's for this turn.
  ManifestReport own;
  const ManifestReport* manifest = &manifest_;
  if (query.agent_definition) {
    marks.definition = true;
    const auto& tools = query.agent_definition->tools;
    if (tools && tools->client_manifest) {
      marks.manifest = true;
      own = check_manifest(tools->client_manifest);
      manifest = &own;
    }
  }
  TurnStartRequest request;
  request.session = session(query.conversation_ref);
  request.turn = id;
  request.text = user_message(query);
  request.attachments = screenshot_refs(query);
  request.caller = marks.caller();
  request.options = turn_options(
      {server_.settings(), server_.settings_of(principal_), definition, *manifest}, query);
  const std::weak_ptr<Connection> weak = weak_from_this();
  host().bus().call<TurnStart>(
      std::move(request),
      [weak, id, conversation = query.conversation_ref, spoken = marks.speech && marks.mute.empty(),
       task = make_task()](Result<Ref<TurnStarted>> started) {
        const auto self = weak.lock();
        if (!self || self->state_ == State::Closed) return;
        if (started.ok()) {
          const std::string& turn = (*started)->turn;
          self->watch(conversation, turn, (*started)->sequence - 1, 0, task);
          const auto watched = self->turns_.find({conversation, turn});
          if (spoken && watched != self->turns_.end()) {
            watched->second->spoken = self->speak(turn, conversation);
          }
          return;
        }
        // A stop of this query came before it: nothing at all is said.
        if (started.error().code == Code::Aborted) return;
        self->error(id, start_error_text(started.error()), code_of(started.error()),
                    started.error().message);
      });
}

void Connection::on_stop(const std::string& id, const StopQueryPayload& stop) {
  hush(stop.conversation_ref, stop.turn_ref);
  TurnStopRequest request;
  request.principal = principal_;
  if (stop.conversation_ref) request.session = session(*stop.conversation_ref);
  request.turn = stop.turn_ref.value_or("");
  request.reason = "stop-query";
  request.remember_ms = kRememberStopMs;
  const std::weak_ptr<Connection> weak = weak_from_this();
  host().bus().call<TurnStop>(
      std::move(request),
      [weak, id, stop](Result<Ref<StoppedTurns>> stopped) {
        const auto self = weak.lock();
        if (!self || self->state_ == State::Closed) return;
        if (!stopped.ok()) {
          return self->fail(id, stopped.error(), code_of(stopped.error()));
        }
        const std::vector<StoppedTurn>& turns = (*stopped)->turns;
        self->server_.silence(self->principal_, turns);
        StopQueryAck ack;
        ack.canceled = !turns.empty();
        ack.status = ack.canceled ? "stopped" : "not-running";
        ack.conversation_ref = json_text_or_null(ack.canceled ? turns.back().session.key
                                                              : stop.conversation_ref.value_or(""));
        ack.turn_ref =
            json_text_or_null(ack.canceled ? turns.back().turn : stop.turn_ref.value_or(""));
        self->reply("stop-query-ack", id, to_json(ack));
      },
      control_lane());
}

void Connection::on_rehydrate(const std::string& id, const RehydratePayload& rehydrate) {
  Result<Rehydrated> rows =
      rehydrate.model_history ? rows_from_model_history(rehydrate) : rows_from_messages(rehydrate);
  if (!rows.ok()) return fail(id, rows.error(), AgentErrorCode::SESSION_ERROR);
  last_conversation_ = rehydrate.conversation_ref;
  if (rehydrate.model_history) {
    if (revisions_.size() >= kMaxRevisions) revisions_.clear();
    revisions_[rehydrate.conversation_ref] = rehydrate.model_history->revision_id;
  }
  SessionRehydrateRequest request;
  request.session = session(rehydrate.conversation_ref);
  request.rows = std::move(rows->rows);
  request.system_prompt = std::move(rows->system_prompt);
  request.source = "agent_ws";
  in_order(rehydrate.conversation_ref,
           [this, id, request = std::move(request), task = make_task()] {
             rehydrating_[request.session.key];
             rehydrate_rows(id, request, task);
           });
}

/// Pictures that are not there, or somebody else's, are left out with a warning; the text stays.
void Connection::rehydrate_rows(const std::string& id, SessionRehydrateRequest request, Task task) {
  struct Lookup {
    std::map<std::string, std::string> types;  // artifact → media type, of those that are there
    std::size_t open = 0;
    std::function<void()> done;
  };
  std::set<std::string> wanted;
  for (const HistoryRow& row : request.rows) {
    for (const ImageRef& image : row.images) wanted.insert(image.artifact);
  }
  auto lookup = std::make_shared<Lookup>();
  lookup->open = wanted.size() + 1;
  const std::weak_ptr<Connection> weak = weak_from_this();
  lookup->done = [weak, id, task, found = std::weak_ptr<Lookup>(lookup),
                  request = std::move(request)]() mutable {
    const auto self = weak.lock();
    const auto known = found.lock();
    if (!self || !known || self->state_ == State::Closed) return;
    const std::string conversation = request.session.key;
    for (HistoryRow& row : request.rows) {
      std::erase_if(row.images, [&](const ImageRef& image) {
        return known->types.find(image.artifact) == known->types.end();
      });
      for (ImageRef& image : row.images) image.media_type = known->types[image.artifact];
    }
    self->host().bus().call<SessionRehydrate>(
        std::move(request),
        [weak, id, task, conversation](Result<Ref<SessionHistoryRows>> replaced) {
          const auto open = weak.lock();
          if (!open || open->state_ == State::Closed) return;
          if (!replaced.ok()) open->fail(id, replaced.error(), AgentErrorCode::SESSION_ERROR);
          open->rehydrated(conversation);
        });
  };
  for (const std::string& artifact : wanted) {
    host().bus().call<ArtifactStat>(
        {principal_, artifact}, [weak, lookup, artifact](Result<Ref<ArtifactInfo>> info) {
          if (info.ok()) {
            lookup->types[artifact] = (*info)->content_type;
          } else if (const auto self = weak.lock()) {
            self->host().log().warn("a screenshot of a rehydrated message is left out",
                                    {{"reason", info.error().message}});
          }
          if (--lookup->open == 0) lookup->done();
        });
  }
  if (--lookup->open == 0) lookup->done();
}

void Connection::on_compact(const std::string& id, const CompactHistoryPayload& compact) {
  const std::string conversation = compact.conversation_ref.value_or(last_conversation_);
  in_order(conversation, [this, id, conversation, force = compact.force.value_or(true)] {
    compact_history(id, conversation, force);
  });
}

void Connection::compact_history(const std::string& id, const std::string& conversation,
                                 bool force) {
  SessionCompactRequest request;
  request.session = session(conversation);
  request.force = force;
  CallOptions options;
  options.timeout = kCompactionLimit;
  const std::weak_ptr<Connection> weak = weak_from_this();
  host().bus().call<SessionCompact>(
      std::move(request),
      [weak, id, conversation, task = make_task()](Result<Ref<CompactionReport>> done) {
        const auto self = weak.lock();
        if (!self || self->state_ == State::Closed) return;
        if (done.ok()) return self->compacted(id, conversation, **done);
        CompactionReport report = manual_report();
        if (done.error().code == Code::NotFound) {  // nothing was ever said in it
          report.skipped = "insufficient-history";
          return self->compacted(id, conversation, report);
        }
        const bool busy = done.error().code == Code::FailedPrecondition;
        report.error = busy ? kCompactionBusy : request_error_text(done.error());
        if (!busy) {
          self->server_.count(AgentErrorCode::MEMORY_ERROR, "a compaction failed",
                              done.error().message);
        }
        TurnFrames frames(self->context(conversation, id));
        const NamedPayload failed = compaction_failed(report, false);
        self->send(frames.next(failed.type, failed.payload, self->now_ms()));
      },
      options);
}

void Connection::compacted(const std::string& id, const std::string& conversation,
                           const CompactionReport& report) {
  auto frames = std::make_shared<TurnFrames>(context(conversation, id));
  const auto emit = [&](const NamedPayload& named) {
    send(frames->next(named.type, named.payload, now_ms()));
  };
  const bool applied = report.skipped.empty();
  if (applied) emit(compaction_started(report));
  emit(compaction_completed(report, conversation));
  const auto revision = revisions_.find(conversation);
  if (!applied || revision == revisions_.end()) return;
  const std::weak_ptr<Connection> weak = weak_from_this();
  host().bus().call<SessionHistory>(
      {session(conversation)}, [weak, frames, conversation, revision = revision->second,
                                id](Result<Ref<SessionHistoryRows>> rows) {
        const auto self = weak.lock();
        if (!self || !rows.ok()) return;
        const std::int64_t now = self->now_ms();
        self->send(frames->next(
            "model-history-updated",
            to_json(model_history_updated(**rows, conversation, revision, id, now)), now));
      });
}

void Connection::on_load_settings(const std::string& id) {
  const ClientSettings& client = server_.settings_of(principal_);
  if (!client.values().selected_model_id.empty()) {
    return reply("settings-loaded", id, to_json(SettingsLoaded{client.config()}));
  }
  // Which model answers when none was chosen is the engine's to say.
  TurnPreviewRequest request;
  request.turn.session = session(last_conversation_);
  request.turn.options.mode = client.values().interaction_mode;
  request.turn.options.provider_keys = client.provider_keys();
  request.history.emplace();
  const std::weak_ptr<Connection> weak = weak_from_this();
  host().bus().call<TurnPreview>(
      std::move(request),
      [weak, id, task = make_task()](const Result<Ref<TurnPreviewed>>& preview) {
        const auto self = weak.lock();
        if (self && self->state_ != State::Closed) self->settings_loaded(id, preview);
      });
}

void Connection::settings_loaded(const std::string& id, const Result<Ref<TurnPreviewed>>& preview) {
  ClientSettings shown = server_.settings_of(principal_);
  if (preview.ok() && shown.values().selected_model_id.empty()) {
    shown.show_model((*preview)->provider, (*preview)->model);
  }
  reply("settings-loaded", id, to_json(SettingsLoaded{shown.config()}));
}

void Connection::on_update_settings(const std::string& id, const UpdateSettingsPayload& update,
                                    const boost::json::object& raw) {
  auto keys = server_.settings_of(principal_).update(update, raw);
  if (!keys.ok()) return error(id, keys.error().message, AgentErrorCode::CONFIG_ERROR);
  if (update.agent_definition) {
    definition_ = update.agent_definition;
    if (definition_->tools && definition_->tools->client_manifest) {
      manifest_ = check_manifest(definition_->tools->client_manifest);
    }
  }
  if (update.tools) manifest_ = check_manifest(update.tools->client_manifest);
  const std::weak_ptr<Connection> weak = weak_from_this();
  server_.keep_settings(principal_, [weak, id, keys = std::move(*keys), task = make_task()] {
    if (const auto self = weak.lock()) {
      self->reply("settings-updated", id, to_json(SettingsUpdated{keys}));
    }
  });
}

void Connection::on_list_models(const std::string& id) {
  const std::weak_ptr<Connection> weak = weak_from_this();
  server_.list_models(server_.settings_of(principal_).credentials(),
                      [weak, id, task = make_task()](const std::vector<LlmModel>& models) {
                        const auto self = weak.lock();
                        if (!self || self->state_ == State::Closed) return;
                        const ModelGroups groups = model_groups(models);
                        const bool flat = self->server_.settings().models_listed == "flat";
                        self->reply("models-listed", id,
                                    flat ? to_json(flat_rows(groups)) : to_json(groups));
                      });
}

}  // namespace gantry::agent_ws
