// SPDX-License-Identifier: Apache-2.0
#include <gantry/http/websocket.hpp>

#include <Poco/Buffer.h>
#include <Poco/Exception.h>
#include <Poco/Net/Context.h>
#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/HTTPSClientSession.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/WebSocket.h>
#include <Poco/URI.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

#include "interim.hpp"

namespace gantry::http {
namespace {

namespace net = Poco::Net;

constexpr std::size_t kMostQueued = std::size_t{8} << 20U;
constexpr long kPatienceSeconds = 10;  // for the connection, and for the rest of a frame
constexpr int kCloseMs = 2000;         // for the other side's close

constexpr int kFin = net::WebSocket::FRAME_FLAG_FIN;

Error closed_well() { return {Code::Ok, {}, {}}; }
Error cancelled() { return {Code::Cancelled, "the WebSocket was given up", {}}; }

std::unique_ptr<net::HTTPClientSession> make_session(const Poco::URI& uri,
                                                     const HttpOptions& options) {
  const bool tls = uri.getScheme() == "wss";
  std::unique_ptr<net::HTTPClientSession> session;
  if (tls) {
    net::Context::Ptr context = new net::Context(net::Context::TLS_CLIENT_USE, options.ca_file,
                                                 net::Context::VERIFY_STRICT, 9, true);
    context->requireMinimumProtocol(net::Context::PROTO_TLSV1_2);
    session = std::make_unique<FinalAnswers<net::HTTPSClientSession>>(uri.getHost(), uri.getPort(),
                                                                      context);
  } else {
    session = std::make_unique<FinalAnswers<net::HTTPClientSession>>(uri.getHost(), uri.getPort());
  }
  session->setTimeout(Poco::Timespan(kPatienceSeconds, 0));
  const std::string proxy = options.direct
                                ? std::string()
                                : proxy_for(tls ? "https" : "http", uri.getHost(), options.proxy);
  if (!proxy.empty()) {
    const Poco::URI via(proxy);
    session->setProxy(via.getHost(), via.getPort());
  }
  return session;
}

}  // namespace

struct WebSocket::Connection {
  std::unique_ptr<net::HTTPClientSession> session;
  std::optional<net::WebSocket> socket;
  Message partial;  // of several frames
  bool within = false;
  bool closed = false;  // our close frame is out
};

WebSocket::WebSocket(HttpOptions options)
    : options_(std::move(options)), wakeup_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

WebSocket::~WebSocket() {
  if (wakeup_ >= 0) ::close(wakeup_);
}

void WebSocket::wake() {
  const std::uint64_t one = 1;
  (void)!::write(wakeup_, &one, sizeof one);
}

bool WebSocket::send(Message message) {
  {
    const std::lock_guard lock(mutex_);
    if (over_ || closing_ || queued_bytes_ + message.data.size() > kMostQueued) return false;
    queued_bytes_ += message.data.size();
    queue_.push_back(std::move(message));
  }
  wake();
  return true;
}

std::size_t WebSocket::queued() {
  const std::lock_guard lock(mutex_);
  return queued_bytes_;
}

void WebSocket::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake();
}

void WebSocket::abort() {
  {
    const std::lock_guard lock(mutex_);
    aborted_ = true;
  }
  wake();
}

Error WebSocket::run(const WebSocketRequest& request, const Events& events) {
  Connection connection;
  Error end = closed_well();
  try {
    const Poco::URI uri(request.url);
    if (uri.getScheme() != "ws" && uri.getScheme() != "wss") {
      return invalid_argument("'" + request.url + "' is no ws:// or wss:// address");
    }
    const std::string place = uri.getHost() + ':' + std::to_string(uri.getPort());
    net::HTTPResponse response;
    try {
      connection.session = make_session(uri, options_);
      net::HTTPRequest head(net::HTTPRequest::HTTP_GET,
                            uri.getPathAndQuery().empty() ? "/" : uri.getPathAndQuery(),
                            net::HTTPMessage::HTTP_1_1);
      for (const auto& [name, value] : request.headers) head.set(name, value);
      connection.socket.emplace(*connection.session, head, response);
      connection.socket->setMaxPayloadSize(static_cast<int>(request.longest_message));
      connection.socket->setReceiveTimeout(Poco::Timespan(kPatienceSeconds, 0));
      connection.socket->setSendTimeout(Poco::Timespan(kPatienceSeconds, 0));
    } catch (const Poco::Exception& failure) {
      const int status = static_cast<int>(response.getStatus());
      const bool answered = status >= 300;
      end = unavailable(answered ? place + " answered the WebSocket with " + std::to_string(status)
                                 : "no WebSocket with " + place + ": " + failure.displayText(),
                        answered ? "check the address and the key"
                                 : "check the address, the network and whether the server runs");
      if (answered) end.detail = R"({"status":)" + std::to_string(status) + "}";
    }
    if (end.code == Code::Ok) end = talk(connection, request, events);
  } catch (const Poco::Exception& failure) {
    end = Error{Code::DataLoss, "the WebSocket broke off: " + failure.displayText(), {}};
  } catch (const std::exception& failure) {
    end = Error{Code::DataLoss, std::string("the WebSocket broke off: ") + failure.what(), {}};
  }
  const std::lock_guard lock(mutex_);
  over_ = true;
  queue_.clear();
  return aborted_ ? cancelled() : end;
}

/// Sends what is queued. False: it was aborted.
bool WebSocket::flush(Connection& connection) {
  while (true) {
    Message message;
    {
      const std::lock_guard lock(mutex_);
      if (aborted_) return false;
      if (queue_.empty()) {
        if (!closing_ || connection.closed) return true;
        connection.closed = true;
      } else {
        message = std::move(queue_.front());
        queue_.pop_front();
        queued_bytes_ -= message.data.size();
      }
    }
    if (connection.closed) {
      connection.socket->shutdown();
      return true;
    }
    const int flags =
        kFin | (message.text ? net::WebSocket::FRAME_OP_TEXT : net::WebSocket::FRAME_OP_BINARY);
    connection.socket->sendFrame(message.data.data(), static_cast<int>(message.data.size()), flags);
  }
}

Error WebSocket::talk(Connection& connection, const WebSocketRequest& request,
                      const Events& events) {
  net::WebSocket& socket = *connection.socket;
  if (events.opened) events.opened();
  std::optional<std::chrono::steady_clock::time_point>
      give_up;  // waiting for an answer to our close
  while (true) {
    if (!flush(connection)) return cancelled();
    if (events.drained) events.drained();
    const auto now = std::chrono::steady_clock::now();
    if (connection.closed && !give_up) give_up = now + std::chrono::milliseconds(kCloseMs);
    if (give_up && now >= *give_up) return closed_well();
    if (socket.available() <= 0) {
      pollfd look[] = {{socket.impl()->sockfd(), POLLIN, 0}, {wakeup_, POLLIN, 0}};
      const int count = ::poll(look, 2, give_up ? kCloseMs : -1);
      if (count == 0) return closed_well();  // the other side does not answer our close
      std::uint64_t calls = 0;
      if (look[1].revents != 0) (void)!::read(wakeup_, &calls, sizeof calls);
      if (look[0].revents == 0) continue;
    }
    Poco::Buffer<char> frame(0);
    int flags = 0;
    const int size = socket.receiveFrame(frame, flags);
    const int opcode = flags & net::WebSocket::FRAME_OP_BITMASK;
    if (size <= 0 && flags == 0) return {Code::DataLoss, "the WebSocket broke off", {}};
    if (opcode == net::WebSocket::FRAME_OP_CLOSE) {
      if (!connection.closed) socket.shutdown();
      return closed_well();
    }
    if (opcode == net::WebSocket::FRAME_OP_PING) {
      socket.sendFrame(frame.begin(), size, kFin | net::WebSocket::FRAME_OP_PONG);
      continue;
    }
    if (opcode == net::WebSocket::FRAME_OP_PONG) continue;
    if (!std::exchange(connection.within, true)) {
      connection.partial = {opcode != net::WebSocket::FRAME_OP_BINARY, {}};
    }
    connection.partial.data.append(frame.begin(), static_cast<std::size_t>(size));
    if (connection.partial.data.size() > request.longest_message) {
      return {Code::ResourceExhausted, "a message of the WebSocket is too long", {}};
    }
    if ((flags & kFin) == 0) continue;
    connection.within = false;
    if (events.message) events.message(std::move(connection.partial));
  }
}

}  // namespace gantry::http
