// SPDX-License-Identifier: Apache-2.0
#pragma once
// One configured MCP server: keeps a conversation with it going, knows its tools, passes calls on.
// Strand only.

#include <gantry/host.hpp>
#include <gantry/tools/tool_server.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "offer.hpp"
#include "session.hpp"
#include "settings.hpp"

namespace gantry::tools_mcp {

struct ServerEvents {
  std::function<void()> changed;  // its tools, or whether they can be used
  std::function<void()> settled;  // once: the first attempt is over, well or not
};

class Server : public std::enable_shared_from_this<Server> {
 public:
  using MakeLink = std::function<std::unique_ptr<Link>()>;

  Server(Host& host, std::string name, ServerSettings settings, LimitSettings limits,
         MakeLink make_link)
      : host_(host),
        name_(std::move(name)),
        settings_(std::move(settings)),
        limits_(limits),
        make_link_(std::move(make_link)) {}

  void begin(ServerEvents events);
  /// Calls that run fail as unavailable; nothing is started any more.
  void stop();

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Those that it had when it was last reached.
  [[nodiscard]] const std::vector<RemoteTool>& tools() const { return tools_; }
  /// Why none of them can run at present; empty: they can.
  [[nodiscard]] const std::string& unavailable_reason() const { return reason_; }
  void call(const std::string& tool, const tools::CallPtr& call);

 private:
  void connect();
  void lost(const Error& why);
  void list();
  void list_page(const std::string& cursor, Offer so_far, int page);
  void adopt(Offer offer);
  void settle();

  Host& host_;
  std::string name_;
  ServerSettings settings_;
  LimitSettings limits_;
  MakeLink make_link_;
  ServerEvents events_;
  std::shared_ptr<Session> session_;
  std::vector<RemoteTool> tools_;
  std::string reason_ = "it is being started";
  Timer again_;
  std::int64_t up_since_ns_ = 0;
  int failures_ = 0;
  bool listing_ = false;
  bool list_again_ = false;
  bool stopped_ = false;
};

}  // namespace gantry::tools_mcp
