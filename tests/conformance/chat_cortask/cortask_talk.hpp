// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plays one row of the tables: what is said over sockets and HTTP, and what must be heard.

#include <gantry/testkit/net_client.hpp>

#include <yaml-cpp/yaml.h>
#include <boost/json/value.hpp>
#include <map>
#include <memory>
#include <string>

#include "../support/yaml_json.hpp"
#include "cortask_server.hpp"

namespace gantry::conformance {

class CortaskTalk {
 public:
  CortaskTalk(CortaskServer& server, std::string unique);
  void run(const YAML::Node& steps);

 private:
  struct Socket {
    std::unique_ptr<testkit::WebSocketClient> client;
    boost::json::value last;
  };

  void step(const YAML::Node& step);
  void socket_step(const YAML::Node& step);
  void open(const YAML::Node& step);
  Socket& socket(const YAML::Node& step);
  const boost::json::value& hear(Socket& socket);
  void hear_text(Socket& socket, const YAML::Node& expected);
  void hear_run(Socket& socket, const YAML::Node& types);
  void be_quiet(Socket& socket);
  void until(Socket& socket, const YAML::Node& expected);
  void expect(const boost::json::value& found, const YAML::Node& expected);
  void closed(Socket& socket, int code);
  void chat(Socket& socket, const YAML::Node& options);
  void http(const YAML::Node& call);
  void put_file(const YAML::Node& options);
  void keep(const boost::json::value& frame, const YAML::Node& names);
  [[nodiscard]] std::string text_of(const YAML::Node& node) const;

  CortaskServer& server_;
  Kept kept_;
  std::map<std::string, Socket> sockets_;
};

}  // namespace gantry::conformance
