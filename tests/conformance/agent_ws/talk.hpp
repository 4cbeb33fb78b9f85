// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plays one row of the tables: what is said over sockets, and what must be heard.

#include <gantry/testkit/net_client.hpp>

#include <yaml-cpp/yaml.h>
#include <boost/json/value.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "agent_server.hpp"
#include "support/yaml_json.hpp"

namespace gantry::conformance {

/// One socket. Every event of a turn that comes by is checked: the sequence rises by one from 1 (or
/// from where a resume begins), and the event_id is made of it.
class Speaker {
 public:
  Speaker(std::uint16_t port, testkit::Headers headers);

  void say(const std::string& text) { client_.send_text(text); }
  void say_binary(const std::string& bytes) { client_.send_binary(bytes); }
  /// Begins a message of so many bytes and says nothing of it.
  void announce(std::uint64_t bytes);
  void hang_up() { client_.send_close(); }
  /// The next message. Throws when the socket closes instead.
  const boost::json::value& hear();
  /// The close frame that comes next.
  testkit::WsFrame closing();
  [[nodiscard]] const boost::json::value& last() const { return last_; }
  /// The events of this turn begin after this one.
  void resumed(const std::string& turn, std::int64_t after) { sequences_[turn] = after; }
  /// Seconds of sound that have come for a message. It comes beside the other frames, whenever it
  /// is made, so hear() passes it by.
  [[nodiscard]] double sound(const std::string& id) const;
  /// Waits for so many seconds of it; nothing else may come meanwhile.
  void hear_sound(const std::string& id, double seconds);

 private:
  void check_sequence();
  bool take_sound();

  testkit::WebSocketClient client_;
  boost::json::value last_;
  std::map<std::string, std::int64_t> sequences_;  // by turn
  std::map<std::string, std::size_t> samples_;     // by message
};

/// A type, or for a trace its path and status: "backend.stream started".
[[nodiscard]] std::string type_of_frame(const boost::json::value& frame);

class Talk {
 public:
  Talk(AgentServer& server, std::string unique);
  void run(const YAML::Node& steps);

 private:
  void step(const YAML::Node& step);
  Speaker& speaker(const YAML::Node& step);
  Speaker& open(const YAML::Node& step, const YAML::Node& options);
  void hello(const YAML::Node& step);
  void expect(const boost::json::value& found, const YAML::Node& expected);
  void hear_turn(Speaker& speaker, const YAML::Node& types);
  void be_quiet(Speaker& speaker);
  void keep(const boost::json::value& frame, const YAML::Node& names);
  void register_install(const std::string& name);
  void put_artifact(const YAML::Node& options);
  void check_counted(const YAML::Node& wanted);
  [[nodiscard]] std::string text_of(const YAML::Node& node) const;

  AgentServer& server_;
  Kept kept_;
  std::map<std::string, std::unique_ptr<Speaker>> speakers_;
};

}  // namespace gantry::conformance
