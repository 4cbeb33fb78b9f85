// SPDX-License-Identifier: Apache-2.0
// Channels: what there is, whether it runs, and saying something over one.
#include <gantry/iso_time.hpp>

#include <algorithm>
#include <utility>

#include "call.hpp"
#include "channels.hpp"
#include "models.hpp"

namespace gantry::gateway {
namespace {

namespace json = boost::json;

constexpr Names kChannelName{"channel", "name", "id"};

Answer no_channel(const std::string& name) {
  return refused(wire::kNotFound, "channel not found: " + name);
}

std::string_view state_of(const ChannelInfo& info) {
  if (info.running) return "healthy";
  return info.reason.empty() ? "stopped" : "failed";
}

json::object status_row(const ChannelInfo& info, const std::string& now) {
  json::object row{{"enabled", info.running || info.authenticated},
                   {"running", info.running},
                   {"state", state_of(info)},
                   {"retryable", !info.running},
                   {"checked_at", now}};
  if (!info.reason.empty()) row["summary"] = info.reason;
  if (!info.cure.empty()) row["remediation"] = info.cure;
  return row;
}

json::object instance_row(const ChannelInfo& info) {
  return {{"id", info.id},
          {"name", info.id},
          {"display_name", info.name},
          {"channel_type", info.id},
          {"enabled", info.running},
          {"has_credentials", info.authenticated}};
}

/// The channel that a request names; nothing with the refusal in `answer`.
Task<std::optional<FoundChannel>> named_channel(CallPtr call, Answer& answer) {
  const std::string name = text(call->params(), kChannelName);
  if (name.empty()) {
    answer = refused(wire::kInvalidRequest, "channel is required");
    co_return std::nullopt;
  }
  auto listing = list_channels(call->host());
  const std::vector<FoundChannel> channels = co_await std::move(listing);
  const auto found = std::find_if(channels.begin(), channels.end(),
                                  [&](const FoundChannel& one) { return one.info.id == name; });
  if (found != channels.end()) co_return *found;
  answer = no_channel(name);
  co_return std::nullopt;
}

}  // namespace

Task<std::vector<FoundChannel>> list_channels(Host& host) {
  std::vector<FoundChannel> out;
  auto finding = providers_of(host, ChannelList::kName);
  const std::vector<std::string> plugins = co_await std::move(finding);
  for (const std::string& plugin : plugins) {
    Nothing nothing;
    CallOptions options;
    options.target = plugin;
    const auto list = co_await ask<ChannelList>(host, std::move(nothing), std::move(options));
    if (!list.ok()) continue;
    for (const ChannelInfo& info : (*list)->channels) out.push_back({info, plugin});
  }
  co_return out;
}

Task<Answer> channels_list(CallPtr call) {
  auto listing = list_channels(call->host());
  const std::vector<FoundChannel> channels = co_await std::move(listing);
  json::array names;
  for (const FoundChannel& one : channels) names.push_back(json::value(one.info.id));
  co_return fine(json::object{{"channels", std::move(names)}});
}

Task<Answer> channels_status(CallPtr call) {
  auto listing = list_channels(call->host());
  const std::vector<FoundChannel> channels = co_await std::move(listing);
  const std::string now = iso_time_of(call->server.now_ms());
  json::object rows;
  for (const FoundChannel& one : channels) rows[one.info.id] = status_row(one.info, now);
  co_return fine(json::object{{"channels", std::move(rows)}});
}

Task<Answer> channels_toggle(CallPtr call) {
  Answer answer;
  auto finding = named_channel(call, answer);
  const auto channel = co_await std::move(finding);
  if (!channel) co_return answer;
  ChannelSwitchRequest request;
  request.channel = channel->info.id;
  request.running = flag(call->params(), {"enabled", "running"}).value_or(!channel->info.running);
  CallOptions options;
  options.target = channel->plugin;
  const auto turned =
      co_await ask<ChannelSwitch>(call->host(), std::move(request), std::move(options));
  if (!turned.ok()) co_return failed(turned.error());
  co_return fine(json::object{{"channel", (*turned)->id}, {"enabled", (*turned)->running}});
}

Task<Answer> channel_instances(CallPtr call) {
  auto listing = list_channels(call->host());
  const std::vector<FoundChannel> channels = co_await std::move(listing);
  json::array rows;
  for (const FoundChannel& one : channels) rows.push_back(instance_row(one.info));
  co_return fine(json::object{{"instances", std::move(rows)}});
}

Task<Answer> channel_instance(CallPtr call) {
  Answer answer;
  auto finding = named_channel(call, answer);
  const auto channel = co_await std::move(finding);
  if (!channel) co_return answer;
  co_return fine(json::object{{"instance", instance_row(channel->info)}});
}

Task<Answer> channel_send(CallPtr call) {
  ChannelSendRequest request;
  request.target = text(call->params(), {"to", "target"});
  request.text = text(call->params(), kMessage);
  if (request.target.empty()) co_return refused(wire::kInvalidRequest, "to is required");
  if (request.text.empty()) co_return refused(wire::kInvalidRequest, "message is required");
  Answer answer;
  auto finding = named_channel(call, answer);
  const auto channel = co_await std::move(finding);
  if (!channel) co_return answer;
  request.channel = channel->info.id;
  json::object payload{{"ok", true}, {"channel", request.channel}, {"to", request.target}};
  CallOptions options;
  options.target = channel->plugin;
  const auto sent = co_await ask<ChannelSend>(call->host(), std::move(request), std::move(options));
  if (!sent.ok()) co_return failed(sent.error());
  co_return fine(std::move(payload));
}

}  // namespace gantry::gateway
