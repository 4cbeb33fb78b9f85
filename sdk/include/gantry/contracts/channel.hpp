// SPDX-License-Identifier: Apache-2.0
//
// Channels: ways by which messages from outside reach sessions, and answers go back. Any plugin may
// serve the contracts below, beside others that do; whoever shows channels finds the plugins by
// gantry.kernel.contracts/1 and calls each by name.
//
// Nobody is there to be asked during a turn that a channel started: what its policy would ask about
// is denied.
#pragma once

#include <gantry/contracts/common.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gantry {

struct ChannelInfo {
  std::string id;    // unique in the daemon: webhook, …
  std::string name;  // for people
  bool running = false;
  bool authenticated = false;  // what it needs to prove who it is, is there and was accepted
  std::string reason;          // why it does not run; empty: it does, or somebody stopped it
  std::string cure;
};
BOOST_DESCRIBE_STRUCT(ChannelInfo, (), (id, name, running, authenticated, reason, cure))

struct ChannelInfos {
  std::vector<ChannelInfo> channels;
};
BOOST_DESCRIBE_STRUCT(ChannelInfos, (), (channels))

struct ChannelList {
  static constexpr std::string_view kName = "gantry.channel.list/1";
  static constexpr std::string_view kDoc = "Lists the channels of one plugin.";
  using Request = Nothing;
  using Response = ChannelInfos;
};

struct ChannelSwitchRequest {
  std::string channel;
  bool running = true;
};
BOOST_DESCRIBE_STRUCT(ChannelSwitchRequest, (), (channel, running))

/// Starts or stops a channel, until the daemon ends. Errors: not_found (no such channel),
/// failed_precondition (it lacks what it needs: the text says what).
struct ChannelSwitch {
  static constexpr std::string_view kName = "gantry.channel.switch/1";
  static constexpr std::string_view kDoc = "Starts or stops a channel.";
  using Request = ChannelSwitchRequest;
  using Response = ChannelInfo;
};

struct ChannelSendRequest {
  std::string channel;
  std::string target;  // as the channel names whom it talks to
  std::string text;
};
BOOST_DESCRIBE_STRUCT(ChannelSendRequest, (), (channel, target, text))

/// Answered when the other side has taken it. Errors: not_found, failed_precondition (it does not
/// run), unavailable (the other side could not be reached, or refused).
struct ChannelSend {
  static constexpr std::string_view kName = "gantry.channel.send/1";
  static constexpr std::string_view kDoc = "Says something over a channel.";
  using Request = ChannelSendRequest;
  using Response = Done;
};

/// A channel was started or stopped.
struct ChannelChanged {
  static constexpr std::string_view kName = "gantry.channel.changed/1";
  static constexpr std::string_view kDoc = "A channel was started or stopped.";
  using Event = ChannelInfo;
};

/// A message from outside was answered, or could not be.
struct ChannelAnsweredEvent {
  std::string channel;
  std::string target;
  std::string workspace;  // of the session
  std::string session_key;
};
BOOST_DESCRIBE_STRUCT(ChannelAnsweredEvent, (), (channel, target, workspace, session_key))

struct ChannelAnswered {
  static constexpr std::string_view kName = "gantry.channel.answered/1";
  static constexpr std::string_view kDoc = "A message of a channel has been dealt with.";
  using Event = ChannelAnsweredEvent;
};

}  // namespace gantry
