// SPDX-License-Identifier: Apache-2.0
//
// One outgoing HTTP/1.1 request whose answer is read as it comes: over TCP or TLS, through a proxy
// if need be. send() and read() wait and belong to one thread where that is allowed
// (Host::blocking); abort() and the questions may come from any thread. Nothing here has a time
// limit: whoever aborts has the clock.
#pragma once

#include <gantry/result.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gantry::http {

class HttpPool;

struct HttpRequest {
  std::string method = "POST";
  std::string url;  // http:// or https://
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

struct HttpHead {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case

  [[nodiscard]] std::string_view header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
  }
};

struct HttpOptions {
  std::string proxy;    // http://host:port; empty: HTTPS_PROXY, http_proxy and NO_PROXY
  std::string ca_file;  // certificates to trust besides the system's
  bool direct = false;  // no proxy, whatever the environment says
  /// The numeric addresses to connect to for a name or a literal address, in this order; empty: the
  /// system's resolver. Nothing else is connected to, so whoever judges addresses does it here. Its
  /// error is that of send(). Runs on the thread of send(); a proxy is not asked for here.
  std::function<Result<std::vector<std::string>>(const std::string& host)> resolve{};
  /// Where connections are kept for the next request to the same place, once an answer was read to
  /// its end; none: each request has its own. A kept one that the server has closed is not noticed
  /// by the caller: when that shows before any byte of an answer, and within a second or before the
  /// request is out, the request goes out once more, on a new one.
  std::shared_ptr<HttpPool> pool{};
  /// A kept connection on which nothing of a request is confirmed for so long leads nowhere; the
  /// request goes out once more, on a new one.
  std::chrono::milliseconds unconfirmed{15'000};
};

enum class HttpPhase { Idle, Connect, FirstByte, Body, Over };

class HttpExchange {
 public:
  explicit HttpExchange(HttpOptions options);
  ~HttpExchange();
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;

  /// Connects, sends the request and reads the head of the answer. Errors: unavailable (name,
  /// connection, certificate, proxy), cancelled (abort()), invalid_argument (the address),
  /// resource_exhausted (interim answers without end), and those of HttpOptions::resolve. Redirects
  /// are answers like any other; interim ones (1xx) are left out.
  Result<HttpHead> send(const HttpRequest& request);
  /// Waits for bytes of the body; 0 at its end. Errors: data_loss (it broke off),
  /// resource_exhausted (a trailer with more fields than a head may have, or longer ones),
  /// cancelled.
  Result<std::size_t> read(char* bytes, std::size_t size);
  /// The rest of the body, at most `limit` bytes; what follows them stays unread.
  Result<std::string> read_all(std::size_t limit);

  /// Lets the next request have the connection, if what is left of the answer is a little and
  /// there, or all comes within a quarter of a second. For whoever knows an answer's end by its
  /// text.
  void keep();

  /// The same where nothing is left to be read; does not wait.
  void keep_if_read();

  /// Ends the connection at once; send() or read() then answers cancelled.
  void abort();
  [[nodiscard]] bool aborted() const { return aborted_.load(std::memory_order_acquire); }
  [[nodiscard]] HttpPhase phase() const { return phase_.load(std::memory_order_acquire); }

 private:
  struct Connection;

  Result<void> ask(const HttpRequest& request, bool may_reuse);
  void give_back();
  static bool read_rest(Connection& connection);

  HttpOptions options_;
  std::unique_ptr<Connection> connection_;
  std::atomic<bool> aborted_{false};
  std::atomic<HttpPhase> phase_{HttpPhase::Idle};
};

/// The proxy for a host: what is configured, else the environment's. Empty: none. Loopback has
/// none.
[[nodiscard]] std::string proxy_for(std::string_view scheme, std::string_view host,
                                    const std::string& configured);

}  // namespace gantry::http
