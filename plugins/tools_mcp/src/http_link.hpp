// SPDX-License-Identifier: Apache-2.0
#pragma once
// The way to a server over Streamable HTTP. Strand only. Source: MCP 2025-03-26 to 2025-11-25,
// "Transports".

#include <gantry/host.hpp>
#include <gantry/http/watch.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backlog.hpp"
#include "link.hpp"

namespace gantry::tools_mcp {

struct HttpPlan {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;  // secret
  std::string ca_file;
  std::size_t longest_message = 16U << 20U;
};

class HttpLink final : public Link {
 public:
  HttpLink(Host& host, std::string name, HttpPlan plan)
      : host_(host), name_(std::move(name)), plan_(std::move(plan)) {}
  ~HttpLink() override;
  HttpLink(const HttpLink&) = delete;
  HttpLink& operator=(const HttpLink&) = delete;

  void begin(LinkEvents events) override;
  void send(const std::string& id, std::string message) override;
  void forget(const std::string& id) override;
  void agreed(std::string_view revision) override;

 private:
  /// One exchange that is under way. Its `request` is empty where no answer is waited for.
  struct Talk {
    std::string request;
    std::shared_ptr<http::HttpExchange> exchange;
    std::shared_ptr<http::PhaseWatch> watch;
    int resumed = 0;
    Timer again;
  };
  /// What an exchange has to tell, in this order.
  struct Heard {
    int status = 0;
    std::string session;
    Error error;             // Code::Ok when it ended well
    std::string last_event;  // of a stream
    std::int64_t retry_ms = 1000;
    bool stream = false;
  };
  /// The link while it lives; for what threads bring back.
  struct Life {
    HttpLink* link;
  };

  void talk(std::uint64_t number, http::HttpRequest request);
  [[nodiscard]] http::HttpRequest request_for(const std::string& method) const;
  void listen(const std::string& after);
  void head(const Heard& heard);
  void over(std::uint64_t number, const Heard& heard);
  void ended_well(std::uint64_t number, const Heard& heard);
  void resume(std::uint64_t number, const Heard& heard);
  void fail(std::uint64_t number, const Error& error);
  void close(const Error& error);

  static Heard converse(http::HttpExchange& exchange, http::PhaseWatch& watch,
                        const http::HttpRequest& request, std::size_t longest,
                        const std::function<void(const Heard&)>& head,
                        const std::function<void(std::string)>& message);

  Host& host_;
  std::string name_;
  HttpPlan plan_;
  LinkEvents events_;
  std::string session_;
  std::string revision_;
  std::map<std::uint64_t, Talk> talks_;
  std::uint64_t last_ = 0;
  std::shared_ptr<Backlog> backlog_ = std::make_shared<Backlog>();
  std::shared_ptr<Life> life_ = std::make_shared<Life>(Life{this});
};

}  // namespace gantry::tools_mcp
