// SPDX-License-Identifier: Apache-2.0
#include "cli/remote.hpp"

#include <Poco/Exception.h>
#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/SocketAddress.h>
#include <Poco/Net/StreamSocket.h>
#include <Poco/StreamCopier.h>
#include <Poco/URI.h>

#include <gantry/contracts/control.hpp>

#include <array>
#include <iterator>
#include <optional>
#include <sstream>
#include <utility>

namespace gantry::cli {
namespace {

namespace net = Poco::Net;

Code code_of(std::string_view name) {
  for (int code = 0; code <= GANTRY_UNAUTHENTICATED; ++code) {
    if (code_name(static_cast<Code>(code)) == name) return static_cast<Code>(code);
  }
  return Code::Unknown;
}

Error error_of(const std::string& body, int status) {
  const gantry_body* decoded = nullptr;
  gantry_error error{};
  const auto result = type_of<ControlFailure>().decode(to_str(body), &decoded, &error);
  if (result != GANTRY_OK) {
    (void)adopt_error(result, error);
    return {Code::Unknown, "the daemon answered HTTP " + std::to_string(status) + ": " + body, {}};
  }
  const auto failure = Ref<ControlFailure>::adopt(decoded);
  return {code_of(failure->error.code), failure->error.message, failure->error.detail.text};
}

class RemoteAccess final : public Access {
 public:
  explicit RemoteAccess(std::string socket) : socket_(std::move(socket)) {}

  Result<void> connect() {
    try {
      stream_ = net::StreamSocket();
      stream_.connect(net::SocketAddress(net::SocketAddress::UNIX_LOCAL, socket_));
      session_ = std::make_unique<net::HTTPClientSession>(stream_);
      return {};
    } catch (const Poco::Exception& error) {
      std::string why = error.displayText();
      // The system's words name the socket once more.
      if (const std::string again = ": " + socket_; why.ends_with(again)) {
        why.resize(why.size() - again.size());
      }
      return unavailable("no daemon answers at " + socket_ + " (" + why + ")", "gantry run");
    }
  }

  Result<std::string> call(const CallRequest& request) override {
    // One that did not answer once would let the command's every further question wait as long.
    if (silent_) return *silent_;
    try {
      if (!session_) GANTRY_TRY(connect());
      return exchange(request);
    } catch (const Poco::TimeoutException&) {
      session_.reset();
      silent_ =
          Error{Code::Unavailable,
                "the daemon at " + socket_ + " has not answered within " +
                    std::to_string(request.timeout_ms + kMarginMs) + " ms; it is stopped or hangs",
                {}};
      return *silent_;
    } catch (const Poco::Exception& error) {
      session_.reset();
      return Error{Code::Unavailable, "the daemon at " + socket_ + ": " + error.displayText(), {}};
    }
  }

  std::string describe() const override { return "the daemon at " + socket_; }
  bool is_daemon() const override { return true; }

 private:
  Result<std::string> exchange(const CallRequest& request) {
    Poco::URI uri;
    uri.setPath("/v1/call/" + request.contract);
    uri.addQueryParameter("timeout_ms", std::to_string(request.timeout_ms));
    if (!request.target.empty()) uri.addQueryParameter("target", request.target);
    net::HTTPRequest head(net::HTTPRequest::HTTP_POST, uri.getPathAndQuery(),
                          net::HTTPMessage::HTTP_1_1);
    head.setHost("localhost");
    head.setContentType("application/json");
    head.setContentLength(static_cast<std::streamsize>(request.json.size()));
    // On the socket: a session passes its own timeout on only to sockets that it connects itself.
    const Poco::Timespan patience(
        static_cast<Poco::Timespan::TimeDiff>(request.timeout_ms + kMarginMs) * 1000);
    stream_.setReceiveTimeout(patience);
    stream_.setSendTimeout(patience);
    net::HTTPResponse response;
    std::string body;
    try {
      session_->sendRequest(head) << request.json;
      Poco::StreamCopier::copyToString(session_->receiveResponse(response), body);
    } catch (const Poco::TimeoutException&) {
      throw;
    } catch (const Poco::Exception&) {
      if (const auto refused = refusal()) return *refused;
      throw;
    }
    const int status = response.getStatus();
    if (!response.getKeepAlive()) session_.reset();
    if (status != net::HTTPResponse::HTTP_OK) return error_of(body, status);
    return body;
  }

  /// What lies in the socket, to its end.
  std::string rest() {
    constexpr std::size_t kMost = 64U << 10U;
    std::string text;
    try {
      std::array<char, 4096> piece{};
      int got = 0;
      while (text.size() < kMost && (got = stream_.receiveBytes(piece.data(), piece.size())) > 0) {
        text.append(piece.data(), static_cast<std::size_t>(got));
      }
    } catch (const Poco::Exception&) {  // closed with something unread: what came before counts
    }
    return text;
  }

  /// One that does not want the whole request answers and closes while it is still being sent:
  /// the session only knows of the broken pipe, the answer lies in the socket.
  std::optional<Error> refusal() {
    std::istringstream in(rest());
    net::HTTPResponse response;
    try {
      response.read(in);
    } catch (const Poco::Exception&) {
      return std::nullopt;
    }
    session_.reset();
    return error_of(std::string(std::istreambuf_iterator<char>(in), {}), response.getStatus());
  }

  // The daemon ends a call at its deadline; this is for the answer's way back.
  static constexpr int kMarginMs = 2000;

  std::string socket_;
  std::optional<Error> silent_;
  net::StreamSocket stream_;  // the session's
  std::unique_ptr<net::HTTPClientSession> session_;
};

}  // namespace

std::string control_socket(const Invocation& invocation) {
  if (!invocation.socket.empty()) return invocation.socket;
  const auto options = plan_options(invocation);
  config::Diagnostics ignored;
  const auto plan = plugin::make_plan(options, ignored);
  if (plan) {
    if (const auto* settings = plan->settings.find("control")) {
      const auto* socket = settings->config.find("socket");
      if (socket != nullptr && !socket->as_text().empty()) return socket->as_text();
    }
  }
  const auto dirs = config::with_standard_dirs(options.layers.environment);
  return dirs.get("GANTRY_RUNTIME_DIR").value_or("/run/gantry") + "/control.sock";
}

Result<std::unique_ptr<Access>> connect_daemon(const std::string& socket) {
  auto access = std::make_unique<RemoteAccess>(socket);
  GANTRY_TRY(access->connect());
  return std::unique_ptr<Access>(std::move(access));
}

}  // namespace gantry::cli
