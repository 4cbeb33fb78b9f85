// SPDX-License-Identifier: Apache-2.0
#include <gantry/http/client.hpp>
#include <gantry/http/pool.hpp>

#include <Poco/Exception.h>
#include <Poco/Net/Context.h>
#include <Poco/Net/DNS.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/HostEntry.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/SSLException.h>
#include <Poco/Net/SecureStreamSocket.h>
#include <Poco/Net/StreamSocket.h>
#include <Poco/URI.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "body.hpp"
#include "kept_session.hpp"

namespace gantry::http {
namespace {

namespace net = Poco::Net;

constexpr std::int64_t kLookMicroseconds = 10'000;  // how often connecting looks for an abort
constexpr std::size_t kLongestProxyHead = 16'384;
constexpr std::size_t kLittleRest = 4'096;               // bytes that keep() reads
constexpr std::chrono::milliseconds kRestPatience{250};  // and how long it waits for all of them

struct Target {
  std::string scheme, host;
  std::uint16_t port = 0;
  std::string path;  // with query
};

/// Thrown inside this file only.
struct Aborted {};
/// A kept connection turned out to be closed.
struct Stale {};

/// Path and query as they are written, when they may be sent so: an escaped slash is not a slash.
std::string written_target(const std::string& url) {
  std::size_t begin = url.find("://");
  if (begin == std::string::npos) return {};
  begin = url.find_first_of("/?#", begin + 3);
  if (begin == std::string::npos || url[begin] == '#') return "/";
  std::string target = url.substr(begin, url.find('#', begin) - begin);
  const bool plain =
      std::all_of(target.begin(), target.end(), [](char c) { return c > 0x20 && c < 0x7F; });
  if (!plain) return {};
  return target.front() == '?' ? '/' + target : target;
}

Result<Target> read_url(const std::string& url) {
  try {
    const Poco::URI uri(url);
    Target target{uri.getScheme(), uri.getHost(), uri.getPort(), written_target(url)};
    if (target.path.empty()) target.path = uri.getPathAndQuery();
    if ((target.scheme == "http" || target.scheme == "https") && !target.host.empty()) {
      if (target.path.empty()) target.path = "/";
      return target;
    }
  } catch (const Poco::Exception&) {
    // told below
  }
  return invalid_argument("'" + url + "' is no http:// or https:// address");
}

/// A header with a line break would bring others along. What is in it may be a secret.
Result<void> check_headers(const HttpRequest& request) {
  const auto breaks = [](std::string_view text) {
    return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
  };
  for (const auto& [name, value] : request.headers) {
    if (breaks(name)) return invalid_argument("the name of a header has a line break in it");
    if (breaks(value)) {
      return invalid_argument("the header " + name + " has a line break in its value; take it out");
    }
  }
  return {};
}

std::string authority(const Target& target) {
  const bool usual = target.port == (target.scheme == "https" ? 443 : 80);
  std::string host = target.host;
  if (host.find(':') != std::string::npos && !host.starts_with('[')) host = '[' + host + ']';
  return usual ? host : host + ':' + std::to_string(target.port);
}

net::Context::Ptr make_tls(const std::string& ca_file) {
  net::Context::Ptr context =
      new net::Context(net::Context::TLS_CLIENT_USE, "", net::Context::VERIFY_STRICT, 9, true);
  if (!ca_file.empty()) {
    if (SSL_CTX_load_verify_locations(context->sslContext(), ca_file.c_str(), nullptr) != 1) {
      throw Poco::FileException("the certificates in " + ca_file + " cannot be read");
    }
  }
  context->requireMinimumProtocol(net::Context::PROTO_TLSV1_2);
  return context;
}

/// The addresses of a name by the system's resolver; throws Poco's exceptions. Of an address it is
/// that address: DNS::resolve() would ask for the name of it, in a buffer that all threads share.
std::vector<net::IPAddress> system_addresses(const std::string& host) {
  net::IPAddress address;
  if (net::IPAddress::tryParse(host, address)) return {address};
  return net::DNS::hostByName(host).addresses();
}

Result<std::vector<net::IPAddress>> addresses_of(const HttpOptions& options,
                                                 const std::string& host) {
  if (!options.resolve) return system_addresses(host);
  GANTRY_ASSIGN(const std::vector<std::string> texts, options.resolve(host));
  std::vector<net::IPAddress> out;
  for (const std::string& text : texts) out.push_back(net::IPAddress::parse(text));
  return out;
}

std::string reason_of(const Poco::Exception& e) {
  std::string text = e.displayText();
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return text;
}

}  // namespace

struct HttpExchange::Connection {
  explicit Connection(std::atomic<bool>& stop) : aborted(stop) {}
  ~Connection() {
    forget();
    session.reset();
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// From here on an abort cuts that connection.
  void remember(std::shared_ptr<const Lifeline> line) {
    const std::lock_guard lock(mutex);
    if (aborted.load(std::memory_order_acquire)) throw Aborted{};
    lifeline = std::move(line);
  }
  void forget() {
    const std::lock_guard lock(mutex);
    lifeline.reset();
  }
  void cut() {
    const std::lock_guard lock(mutex);
    if (lifeline) lifeline->cut();
  }

  net::StreamSocket connect(const std::vector<net::IPAddress>& addresses, std::uint16_t port);
  net::StreamSocket connect_to(const net::SocketAddress& address);
  void tunnel(net::StreamSocket& socket, const Target& target) const;

  std::atomic<bool>& aborted;
  std::mutex mutex;
  std::shared_ptr<const Lifeline> lifeline;
  std::string place;  // in the pool
  std::unique_ptr<KeptSession> session;
  net::HTTPResponse response;
  std::optional<Body> body;  // of the answer whose head is here, until it is over
  bool over = false;         // all of it was read
};

net::StreamSocket HttpExchange::Connection::connect_to(const net::SocketAddress& address) {
  net::StreamSocket socket(address.family());
  socket.connectNB(address);
  while (!socket.poll(Poco::Timespan(kLookMicroseconds),
                      net::Socket::SELECT_WRITE | net::Socket::SELECT_ERROR)) {
    if (aborted.load(std::memory_order_acquire)) throw Aborted{};
  }
  if (const int error = socket.impl()->socketError(); error != 0) {
    throw Poco::IOException(std::generic_category().message(error));
  }
  socket.setBlocking(true);
  socket.setNoDelay(true);
  remember(std::make_shared<const Lifeline>(socket.impl()->sockfd()));
  return socket;
}

/// Every address in turn: localhost is ::1 and 127.0.0.1, and a server may have only one.
net::StreamSocket HttpExchange::Connection::connect(const std::vector<net::IPAddress>& addresses,
                                                    std::uint16_t port) {
  std::unique_ptr<Poco::Exception> last;
  for (const net::IPAddress& address : addresses) {
    if (aborted.load(std::memory_order_acquire)) throw Aborted{};
    try {
      return connect_to(net::SocketAddress(address, port));
    } catch (const Poco::Exception& e) {
      last.reset(e.clone());
    }
  }
  // As it was: its text in another exception would name its kind twice.
  if (last) last->rethrow();
  throw Poco::IOException("the name has no address");
}

void HttpExchange::Connection::tunnel(net::StreamSocket& socket, const Target& target) const {
  const std::string to = target.host + ':' + std::to_string(target.port);
  const std::string head = "CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\n\r\n";
  socket.sendBytes(head.data(), static_cast<int>(head.size()));
  std::string answer;
  char byte = 0;
  while (!answer.ends_with("\r\n\r\n")) {  // bytewise: what follows belongs to TLS
    if (answer.size() > kLongestProxyHead || socket.receiveBytes(&byte, 1) != 1) {
      throw Poco::IOException("the proxy hung up");
    }
    answer += byte;
  }
  const std::string line = answer.substr(0, answer.find('\r'));
  if (line.size() < 12 || !line.starts_with("HTTP/1.") || line.substr(9, 3) != "200") {
    throw Poco::IOException("the proxy answered '" + line + "'");
  }
}

HttpExchange::HttpExchange(HttpOptions options)
    : options_(std::move(options)), connection_(std::make_unique<Connection>(aborted_)) {}

HttpExchange::~HttpExchange() = default;

void HttpExchange::abort() {
  aborted_.store(true, std::memory_order_release);
  connection_->cut();
}

namespace {

/// What a connection is good for: requests to that server, by that way, trusting those.
std::string place_of(const Target& target, const std::string& proxy, const HttpOptions& options) {
  return target.scheme + "://" + authority(target) + ' ' + proxy + ' ' + options.ca_file;
}

constexpr std::chrono::seconds kHearsOfClose{1};

bool closed_by_server(const Poco::Exception& e) {
  return e.code() == EPIPE || dynamic_cast<const net::NoMessageException*>(&e) != nullptr ||
         dynamic_cast<const net::ConnectionResetException*>(&e) != nullptr ||
         dynamic_cast<const net::ConnectionAbortedException*>(&e) != nullptr ||
         dynamic_cast<const net::SSLConnectionUnexpectedlyClosedException*>(&e) != nullptr;
}

/// The system gave up a connection on which the other side confirms nothing.
bool given_up_by_system(const Poco::Exception& e) {
  return e.code() == ETIMEDOUT || e.code() == EHOSTUNREACH || e.code() == ENETUNREACH;
}

/// Sends a request and reads the head of its answer. Throws Stale where a connection that was used
/// before had been closed or leads nowhere. While the request is still being written the server
/// does not have it, whenever that shows; neither when nothing of it was confirmed. Once it is out,
/// a close that comes later than it takes to hear of one is an answer of the server, which may have
/// begun to work: whoever asked decides whether to ask again. So is an interim answer. Throws
/// Poco::ProtocolException where the head ends no exchange: nobody asked for another protocol.
void talk(KeptSession& session, net::HTTPRequest& head, const std::string& body,
          net::HTTPResponse& response, std::atomic<HttpPhase>& phase, bool reused) {
  const auto begun = std::chrono::steady_clock::now();
  bool written = false;
  try {
    std::ostream& out = session.sendRequest(head);
    out.write(body.data(), static_cast<std::streamsize>(body.size()));
    out.flush();
    // The stream keeps what went wrong to itself; the session has it.
    if (!out && session.networkException() != nullptr) session.networkException()->rethrow();
    written = true;
    phase.store(HttpPhase::FirstByte, std::memory_order_release);
    session.receiveResponse(response);
    if (const int status = response.getStatus(); status < 200) {
      throw Poco::ProtocolException("an answer with the status " + std::to_string(status));
    }
  } catch (const Poco::Exception& e) {
    const bool early = !written || std::chrono::steady_clock::now() - begun < kHearsOfClose;
    // Before the request is out, what the session knows of is the answer before.
    const bool stale = reused && !(written && session.announced());
    if (stale && ((early && closed_by_server(e)) || given_up_by_system(e))) throw Stale{};
    throw;
  }
}

}  // namespace

Result<void> HttpExchange::ask(const HttpRequest& request, bool may_reuse) {
  GANTRY_ASSIGN(const Target target, read_url(request.url));
  Connection& connection = *connection_;
  phase_.store(HttpPhase::Connect, std::memory_order_release);
  const std::string proxy =
      options_.direct ? std::string() : proxy_for(target.scheme, target.host, options_.proxy);
  const bool tls = target.scheme == "https";
  const std::string uri = proxy.empty() || tls ? target.path : request.url;
  connection.place = place_of(target, proxy, options_);
  connection.forget();
  connection.session.reset();
  if (options_.pool && may_reuse) connection.session = options_.pool->take(connection.place);
  const bool reused = connection.session != nullptr;
  if (reused) {
    // A way that is gone since (another network, a suspended machine) says nothing, and minutes
    // would pass. Not for new connections: this also ends one whose server is alive and slow to
    // read a large request.
    connection.session->limit_unconfirmed(options_.unconfirmed);
    connection.remember(connection.session->lifeline);
  } else {
    net::StreamSocket socket;
    if (proxy.empty()) {
      GANTRY_ASSIGN(const auto addresses, addresses_of(options_, target.host));
      socket = connection.connect(addresses, target.port);
    } else {
      GANTRY_ASSIGN(const Target via, read_url(proxy));
      socket = connection.connect(system_addresses(via.host), via.port);
      if (tls) connection.tunnel(socket, target);
    }
    if (tls) {
      socket = net::SecureStreamSocket::attach(socket, target.host, make_tls(options_.ca_file));
    }
    connection.session = std::make_unique<KeptSession>(socket, connection.lifeline);
    connection.session->setKeepAlive(options_.pool != nullptr);
  }
  connection.response.clear();
  connection.response.setFieldLimit(static_cast<int>(kMostFields));
  net::HTTPRequest head(request.method, uri, net::HTTPMessage::HTTP_1_1);
  head.set("Host", authority(target));
  for (const auto& [name, value] : request.headers) head.set(name, value);
  if (!request.body.empty()) {
    head.setContentLength64(static_cast<std::int64_t>(request.body.size()));
  }
  talk(*connection.session, head, request.body, connection.response, phase_, reused);
  connection.body = Body::of(connection.response, request.method);
  phase_.store(HttpPhase::Body, std::memory_order_release);
  return {};
}

Result<HttpHead> HttpExchange::send(const HttpRequest& request) {
  GANTRY_TRY(check_headers(request));
  GANTRY_ASSIGN(const Target target, read_url(request.url));
  const std::string place = target.host + ':' + std::to_string(target.port);
  Connection& connection = *connection_;
  const Error given_up{Code::Cancelled, "the request to " + place + " was given up", {}};
  try {
    try {
      GANTRY_TRY(ask(request, true));
    } catch (const Stale&) {
      if (aborted()) return given_up;
      GANTRY_TRY(ask(request, false));
    }
  } catch (const Aborted&) {
    return given_up;
  } catch (const TooManyInterim& e) {
    return Error{Code::ResourceExhausted, "no answer from " + place + ": " + reason_of(e), {}};
  } catch (const Poco::Exception& e) {
    if (aborted()) return given_up;
    return unavailable("no answer from " + place + ": " + reason_of(e),
                       "check the address, the network and whether the server runs");
  } catch (const std::exception& e) {
    return unavailable("no answer from " + place + ": " + e.what());
  }
  HttpHead head;
  head.status = static_cast<int>(connection.response.getStatus());
  for (const auto& [name, value] : connection.response) {
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    head.headers[lower] = value;
  }
  return head;
}

Result<std::size_t> HttpExchange::read(char* bytes, std::size_t size) {
  Connection& connection = *connection_;
  if (connection.over) return std::size_t{0};
  if (!connection.body) return failed_precondition("there is no answer to read");
  const Error given_up{Code::Cancelled, "the answer was given up", {}};
  try {
    Body& body = *connection.body;
    while (!body.over()) {
      const std::size_t count = connection.session->read_some(bytes, size);
      if (aborted()) return given_up;
      if (count == 0) body.close();
      if (const std::size_t kept = body.take(bytes, count); kept > 0) return kept;
    }
    const bool cut = body.cut();
    const bool flooded = body.flooded();
    phase_.store(HttpPhase::Over, std::memory_order_release);
    give_back();
    if (cut) return Error{Code::DataLoss, "the answer broke off before its end", {}};
    if (flooded) {
      return Error{Code::ResourceExhausted,
                   "what follows the answer is larger than the trailer of one may be",
                   {}};
    }
    return std::size_t{0};
  } catch (const Poco::Exception& e) {
    if (aborted()) return given_up;
    return Error{Code::DataLoss, "the answer broke off: " + reason_of(e), {}};
  } catch (const std::exception& e) {
    return Error{Code::DataLoss, std::string("the answer broke off: ") + e.what(), {}};
  }
}

/// The answer has been read to its end.
void HttpExchange::give_back() {
  Connection& connection = *connection_;
  const bool usable = connection.body->leaves_connection() && connection.response.getKeepAlive();
  connection.over = true;
  connection.body.reset();
  connection.forget();  // from here on an abort does not reach it
  if (!options_.pool || aborted() || !usable) return;
  options_.pool->put(connection.place, std::move(connection.session));
}

/// Whether the answer's end came soon and after a little.
bool HttpExchange::read_rest(Connection& connection) {
  using std::chrono::duration_cast;
  using std::chrono::microseconds;
  Body& body = *connection.body;
  if (body.over()) return true;
  const auto end = std::chrono::steady_clock::now() + kRestPatience;
  net::StreamSocket& socket = connection.session->socket();
  char rest[kLittleRest];
  for (std::size_t read = 0; !body.over();) {
    const auto left = duration_cast<microseconds>(end - std::chrono::steady_clock::now());
    if (left <= microseconds(0) || read == sizeof rest) return false;
    socket.setReceiveTimeout(Poco::Timespan(left.count()));
    const std::size_t count = connection.session->read_some(rest, sizeof rest - read);
    if (count == 0) return false;
    read += count;
    (void)body.take(rest, count);
  }
  socket.setReceiveTimeout(Poco::Timespan(0));
  return true;
}

void HttpExchange::keep_if_read() {
  Connection& connection = *connection_;
  if (connection.body && connection.body->over()) give_back();
}

void HttpExchange::keep() {
  Connection& connection = *connection_;
  if (!options_.pool || !connection.body) return;
  try {
    if (read_rest(connection)) give_back();
  } catch (const std::exception&) {
    // Not to be kept, then; the answer is as it was.
  }
}

Result<std::string> HttpExchange::read_all(std::size_t limit) {
  std::string all;
  char piece[4096];
  while (all.size() < limit) {
    GANTRY_ASSIGN(const std::size_t count, read(piece, sizeof piece));
    if (count == 0) break;
    all.append(piece, std::min(count, limit - all.size()));
  }
  return all;
}

}  // namespace gantry::http
