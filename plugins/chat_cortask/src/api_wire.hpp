// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the HTTP API answers with. Members are sent in this order, optional ones only when they are
// there; where the wire has null, the member is Json.

#include <gantry/json.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "outgoing.hpp"
#include "records.hpp"

namespace gantry::chat_cortask {

struct HealthView {
  std::string status;
  std::string version;
  bool ready = true;
};
BOOST_DESCRIBE_STRUCT(HealthView, (), (status, version, ready))

struct UpdateView {
  std::string currentVersion;
  Json latestVersion;  // null: not known
  bool hasUpdate = false;
  std::optional<std::string> error;
};
BOOST_DESCRIBE_STRUCT(UpdateView, (), (currentVersion, latestVersion, hasUpdate, error))

struct OnboardingView {
  bool completed = false;
  bool hasProvider = false;
  bool hasWorkspace = false;
};
BOOST_DESCRIBE_STRUCT(OnboardingView, (), (completed, hasProvider, hasWorkspace))

struct AgentView {
  std::int64_t maxTurns = 0;
  double temperature = 0;
  std::optional<std::int64_t> maxTokens;
};
BOOST_DESCRIBE_STRUCT(AgentView, (), (maxTurns, temperature, maxTokens))

struct ServerView {
  std::int64_t port = 0;
  std::string host;
};
BOOST_DESCRIBE_STRUCT(ServerView, (), (port, host))

struct ConfigView {
  AgentView agent;
  ServerView server;
  SpendingLimits spending;
  MemoryChoice memory;
  std::optional<std::string> dataDir;
};
BOOST_DESCRIBE_STRUCT(ConfigView, (), (agent, server, spending, memory, dataDir))

struct ChannelView {
  std::string id;
  std::string name;
  bool running = false;
  std::optional<bool> authenticated;
  bool installed = false;
};
BOOST_DESCRIBE_STRUCT(ChannelView, (), (id, name, running, authenticated, installed))

struct WorkspaceApprovals {
  std::optional<std::string> act;  // allow, ask, deny; none: as the chat has it
  std::optional<std::string> execute;
  std::optional<std::string> network;
};
BOOST_DESCRIBE_STRUCT(WorkspaceApprovals, (), (act, execute, network))

struct WorkspaceView {
  std::string id;
  std::string name;
  std::string rootPath;
  std::string lastAccessedAt;
  std::optional<std::string> provider;  // both only when it has a model of its own
  std::optional<std::string> model;
  std::optional<WorkspaceApprovals> approvals;  // when it has any
};
BOOST_DESCRIBE_STRUCT(WorkspaceView, (),
                      (id, name, rootPath, lastAccessedAt, provider, model, approvals))

struct FileTime {
  std::string name;
  double mtime = 0;  // milliseconds since 1970
};
BOOST_DESCRIBE_STRUCT(FileTime, (), (name, mtime))

struct TreeEntry {
  std::string path;  // relative to the root
  std::string name;
  std::string type;  // dir, file
};
BOOST_DESCRIBE_STRUCT(TreeEntry, (), (path, name, type))

struct FilesView {
  std::vector<FileTime> files;
};
BOOST_DESCRIBE_STRUCT(FilesView, (), (files))

struct TreeView {
  std::vector<TreeEntry> tree;
};
BOOST_DESCRIBE_STRUCT(TreeView, (), (tree))

struct MemoryView {
  Json content;  // text, or null
};
BOOST_DESCRIBE_STRUCT(MemoryView, (), (content))

struct SessionRow {
  std::string id;
  std::string title;
  std::string createdAt;
  std::string updatedAt;
  Json parentSessionId;  // null: of no other session
  std::int32_t depth = 0;
  Json channel;  // null: of the page
};
BOOST_DESCRIBE_STRUCT(SessionRow, (),
                      (id, title, createdAt, updatedAt, parentSessionId, depth, channel))

/// One part of a message; which members there are says its type.
struct MessagePart {
  std::string type;  // text, thinking, image, tool_use, tool_result
  std::optional<std::string> text;
  std::optional<std::string> imageBase64;
  std::optional<std::string> mimeType;
  std::optional<std::string> toolCallId;
  std::optional<std::string> toolName;
  std::optional<Json> toolArguments;
  std::optional<bool> isError;
};
BOOST_DESCRIBE_STRUCT(MessagePart, (),
                      (type, text, imageBase64, mimeType, toolCallId, toolName, toolArguments,
                       isError))

struct MessageView {
  std::string role;  // user, assistant
  Json content;      // text, or [MessagePart]
};
BOOST_DESCRIBE_STRUCT(MessageView, (), (role, content))

struct SessionView {
  std::string id;
  std::string title;
  std::string createdAt;
  std::string updatedAt;
  Json parentSessionId;
  std::int32_t depth = 0;
  Json channel;
  std::vector<MessageView> messages;
};
BOOST_DESCRIBE_STRUCT(SessionView, (),
                      (id, title, createdAt, updatedAt, parentSessionId, depth, channel, messages))

struct ProviderView {
  std::string id;
  std::string name;
  std::string defaultModel;
  bool configured = false;
  bool isDefault = false;
};
BOOST_DESCRIBE_STRUCT(ProviderView, (), (id, name, defaultModel, configured, isDefault))

struct ModelView {
  std::string id;
  std::string name;
  std::optional<std::int64_t> contextWindow;
  std::optional<double> inputPricePer1m;
  std::optional<double> outputPricePer1m;
};
BOOST_DESCRIBE_STRUCT(ModelView, (), (id, name, contextWindow, inputPricePer1m, outputPricePer1m))

struct ChosenView {
  std::string providerId;
  std::string model;
};
BOOST_DESCRIBE_STRUCT(ChosenView, (), (providerId, model))

struct TestView {
  bool success = false;
  std::optional<std::string> response;
  std::optional<TokenUsage> usage;
  std::optional<std::string> error;
};
BOOST_DESCRIBE_STRUCT(TestView, (), (success, response, usage, error))

struct CompletionView {
  std::string response;
};
BOOST_DESCRIBE_STRUCT(CompletionView, (), (response))

struct CredentialView {
  std::string key;
  std::optional<std::string> value;  // never the value itself
};
BOOST_DESCRIBE_STRUCT(CredentialView, (), (key, value))

/// Which members there are depends on the type.
struct CronScheduleView {
  std::string type;  // at, every, cron
  std::optional<std::string> datetime;
  std::optional<std::int64_t> intervalMs;
  std::optional<std::string> expression;
  std::optional<std::string> timezone;
};
BOOST_DESCRIBE_STRUCT(CronScheduleView, (), (type, datetime, intervalMs, expression, timezone))

struct CronDeliveryView {
  std::optional<std::string> channel;
  std::optional<std::string> target;
  std::optional<std::string> sessionKey;
};
BOOST_DESCRIBE_STRUCT(CronDeliveryView, (), (channel, target, sessionKey))

struct CronStateView {
  std::string jobId;
  Json nextRunAtMs;  // null: never by itself
  Json lastRunAtMs;  // null: not yet
  Json lastStatus;   // success, error, or null
  Json lastError;
  std::int32_t consecutiveErrors = 0;
};
BOOST_DESCRIBE_STRUCT(CronStateView, (),
                      (jobId, nextRunAtMs, lastRunAtMs, lastStatus, lastError, consecutiveErrors))

struct CronJobView {
  std::string id;
  std::string name;
  bool enabled = true;
  CronScheduleView schedule;
  std::string prompt;
  CronDeliveryView delivery;
  std::optional<std::string> workspaceId;
  std::string createdAt;
  std::string updatedAt;
  std::optional<CronStateView> state;
};
BOOST_DESCRIBE_STRUCT(CronJobView, (),
                      (id, name, enabled, schedule, prompt, delivery, workspaceId, createdAt,
                       updatedAt, state))

struct UsageView {
  std::int64_t totalInputTokens = 0;
  std::int64_t totalOutputTokens = 0;
  std::int64_t totalTokens = 0;
  double totalCostUsd = 0;
  std::int64_t recordCount = 0;
};
BOOST_DESCRIBE_STRUCT(UsageView, (),
                      (totalInputTokens, totalOutputTokens, totalTokens, totalCostUsd, recordCount))

struct UsageRow {
  std::string date;
  std::int64_t tokens = 0;
  double costUsd = 0;
};
BOOST_DESCRIBE_STRUCT(UsageRow, (), (date, tokens, costUsd))

struct SkillView {
  std::string name;
  std::string description;
  bool eligible = false;
  std::optional<std::string> ineligibleReason;
  std::string source;  // bundled, user, config-dir
  bool editable = false;
  bool hasCodeTools = false;
  std::int32_t toolCount = 0;  // tools of its own; skills here use those of the daemon
  std::vector<std::string> tags;
  std::optional<std::string> homepage;
  std::optional<std::string> content;
};
BOOST_DESCRIBE_STRUCT(SkillView, (),
                      (name, description, eligible, ineligibleReason, source, editable,
                       hasCodeTools, toolCount, tags, homepage, content))

struct MemoryEntryView {
  std::string id;
  std::string content;
  std::string source;
  Json sessionId;  // null: notes of a file belong to no session
  std::string createdAt;
  Json metadata{"{}"};
};
BOOST_DESCRIBE_STRUCT(MemoryEntryView, (), (id, content, source, sessionId, createdAt, metadata))

struct FoundMemoryView {
  MemoryEntryView entry;
  double score = 0;
  std::string matchType;  // keyword
};
BOOST_DESCRIBE_STRUCT(FoundMemoryView, (), (entry, score, matchType))

struct EmbeddingTestView {
  bool success = false;
  std::optional<std::string> message;
  std::optional<std::string> error;
  std::optional<std::int32_t> dimensions;
};
BOOST_DESCRIBE_STRUCT(EmbeddingTestView, (), (success, message, error, dimensions))

struct ArtifactView {
  std::string id;
  std::string type;
  std::string title;
  std::optional<std::string> content;
  std::string mimeType;
  std::string createdAt;
};
BOOST_DESCRIBE_STRUCT(ArtifactView, (), (id, type, title, content, mimeType, createdAt))

}  // namespace gantry::chat_cortask
