// SPDX-License-Identifier: Apache-2.0
#pragma once
// One client as the protocol sees it: a session of the older revisions (standard input, or an HTTP
// session), or one request of a revision without sessions. Both eras may be mixed on standard
// input. Strand only.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "call.hpp"
#include "core.hpp"
#include "wire.hpp"

namespace gantry::mcp {

/// Header that names the revision of the protocol.
inline constexpr std::string_view kVersionHeader = "mcp-protocol-version";

/// Each change of the desktop is compared with every one of them.
inline constexpr std::size_t kMostSubscriptions = 256;

/// Requests of one client that are under way at once; one more is refused, and nothing of it
/// begins.
inline constexpr std::size_t kMostUnderWay = 256;
inline constexpr int kBusy = -32000;  ///< of JSON-RPC's codes for a server's own errors

/// Values in one message: read in a few milliseconds, in which nobody else is served.
inline constexpr std::size_t kMostValues = 100'000;

/// Who is at the other end, as the transport knows it.
struct Peer {
  std::string principal;  ///< Digest of the credentials, or "local".
  std::string session;    ///< Names the session in audits; not the secret id.
  bool http = false;      ///< Requests have headers that must agree with them.
};

class Connection final : public Listener, public std::enable_shared_from_this<Connection> {
 public:
  /// `aside` gets what belongs to no request; may be null.
  Connection(Core& core, Peer peer, std::shared_ptr<Outlet> aside);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  enum class Fate {
    Answers,   ///< The outlet gets a response.
    Accepted,  ///< It was a notification or a response: nothing is answered.
  };
  Fate handle(Message message, const std::shared_ptr<Outlet>& outlet, const Headers& headers);

  /// Sends a request to the client on the outlet of `call`; `done` gets its Response.
  void ask(Call& call, const AskWire& wire, std::function<void(const Message&)> done);

  /// Cancels what is under way. Nothing is sent any more.
  void close();
  /// Cancels what acts or only listens; what reads may still be answered.
  void close_fragile();
  [[nodiscard]] bool closing() const { return closing_; }
  /// The client of one request has hung up.
  void hung_up(const std::string& id);
  /// Whether a request is to be given up when its client hangs up: one that acts. True when it is
  /// not there.
  [[nodiscard]] bool fragile(const std::string& id) const;

  [[nodiscard]] Core& core() { return core_; }
  [[nodiscard]] const Peer& peer() const { return peer_; }
  /// nullptr before initialize.
  [[nodiscard]] const Revision* revision() const { return revision_; }
  [[nodiscard]] std::size_t under_way() const { return running_.size(); }

  // For the methods.
  void initialized(const Revision& revision, ClientAbilities client, std::string client_name);
  void set_level(NoticeLevel level) { level_ = level; }
  /// False: it has as many already as one may have.
  [[nodiscard]] bool subscribe(const std::string& uri) {
    if (!subscribed_.contains(uri) && subscriptions() >= kMostSubscriptions) return false;
    subscribed_.insert(uri);
    core_.hub.subscribed();
    return true;
  }
  void unsubscribe(const std::string& uri) { subscribed_.erase(uri); }
  /// Counts what a request that listens wants to hear of, until the request is over. False: with
  /// it they would be more than one may have.
  [[nodiscard]] bool listen(const Call& call, std::size_t resources) {
    if (subscriptions() + resources > kMostSubscriptions) return false;
    if (resources > 0) listening_.emplace(&call, resources);
    return true;
  }

  void on_changed(Changed what) override;
  void on_resource(const std::string& uri) override;
  [[nodiscard]] const std::set<std::string>& wanted() const override { return subscribed_; }

 private:
  struct Pending {
    const Call* call = nullptr;
    std::function<void(const Message&)> done;
  };

  void request(Message message, const std::shared_ptr<Outlet>& outlet, const Headers& headers);
  void notification(const Message& message);
  void response(const Message& message);
  /// Fills `facts` from what the request says itself; an answer has been sent when it is false.
  bool read_modern(Message& message, const Headers& headers, Outlet& outlet, CallFacts& facts);
  void read_session(CallFacts& facts, bool streams) const;
  void start(CallFacts facts, const std::shared_ptr<Outlet>& outlet);
  /// Refuses what cannot begin now; false then.
  bool has_room(CallFacts& facts, Outlet& outlet);
  void forget(const Call& call);
  /// Of the session, and of all requests that listen.
  [[nodiscard]] std::size_t subscriptions() const {
    std::size_t count = subscribed_.size();
    for (const auto& [call, resources] : listening_) count += resources;
    return count;
  }
  void aside(std::string_view method, std::string_view params_json);

  Core& core_;
  Peer peer_;
  std::shared_ptr<Outlet> aside_;
  Load load_;
  const Revision* revision_ = nullptr;
  ClientAbilities client_;
  std::string client_name_;
  std::optional<NoticeLevel> level_;
  std::set<std::string> subscribed_;
  std::map<const Call*, std::size_t> listening_;          // how many resources
  std::map<std::string, std::shared_ptr<Call>> running_;  // by id
  std::map<std::string, Pending> asked_;                  // by the id of our request
  std::uint64_t last_ask_ = 0;
  bool closing_ = false;
};

/// Whether a request is of an era without sessions: it says its revision itself.
[[nodiscard]] bool is_modern(const Message& message, const Headers& headers);

}  // namespace gantry::mcp
