// SPDX-License-Identifier: Apache-2.0
#pragma once
// Streamable HTTP: one path for all revisions. A request with its own `_meta` stands alone; others
// belong to a session, which initialize begins and its secret id names. An answer is JSON, or a
// stream of events as soon as something has to be said before it. Strand only.

#include <gantry/contracts/http.hpp>
#include <gantry/stream.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "connection.hpp"
#include "http_session.hpp"
#include "sse.hpp"

namespace gantry::mcp {

class HttpFace {
 public:
  explicit HttpFace(Core& core);
  ~HttpFace();
  HttpFace(const HttpFace&) = delete;
  HttpFace& operator=(const HttpFace&) = delete;

  /// One exchange; the handlers of its stream.
  StreamHandlers<Nothing> accept(const HttpRequest& request, Stream<HttpPart> down);
  /// Ends every session.
  void close();
  [[nodiscard]] std::size_t sessions() const { return sessions_.size(); }

 private:
  using WriterPtr = std::shared_ptr<PartWriter>;
  using Gone = std::function<void()>;

  Gone post(const HttpRequest& request, const WriterPtr& writer);
  Gone post_one(const HttpRequest& request, Message message, const WriterPtr& writer);
  Gone post_batch(const HttpRequest& request, Parsed parsed, const WriterPtr& writer);
  Gone hand_over(const std::shared_ptr<Connection>& connection, const SessionPtr& session,
                 const HttpRequest& request, Message message, const WriterPtr& writer);
  Gone get(const HttpRequest& request, const WriterPtr& writer);
  void remove(const HttpRequest& request, const WriterPtr& writer);
  /// The session that the request names, or nullptr after it was refused.
  SessionPtr session_of(const HttpRequest& request, const WriterPtr& writer);
  SessionPtr begin_session(const HttpRequest& request);
  void tick();

  Core& core_;
  std::map<std::string, SessionPtr> sessions_;  // by id
  std::shared_ptr<int> life_ = std::make_shared<int>(0);
  std::weak_ptr<int> alive_;
  std::shared_ptr<void> ticking_;
};

}  // namespace gantry::mcp
