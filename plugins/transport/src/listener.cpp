// SPDX-License-Identifier: Apache-2.0
#include "listener.hpp"

#include <Poco/Exception.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/SocketAddress.h>
#include <Poco/Net/StreamSocket.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>

namespace gantry::transport {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";
constexpr size_t kUnixPathBytes = sizeof(sockaddr_un::sun_path) - 1;

bool is_unix(const std::string& address) {
  return std::string_view(address).substr(0, kUnixPrefix.size()) == kUnixPrefix;
}

struct ParsedAddress {
  Poco::Net::SocketAddress socket;
  bool loopback = true;
};

ListenFailure failure(ListenFailure::Kind kind, const ListenerOptions& options,
                      const std::string& text) {
  return {kind, "listener '" + options.name + "': " + text};
}

ListenFailure malformed(const ListenerOptions& options, const std::string& text) {
  return failure(ListenFailure::Kind::kMalformed, options, text);
}

/// Only numeric addresses and "localhost": a listener must not depend on a name server.
std::variant<ParsedAddress, ListenFailure> parse_address(const ListenerOptions& options) {
  std::string text = options.address;
  if (text.rfind("localhost:", 0) == 0) text.replace(0, 9, "127.0.0.1");
  const size_t colon = text.rfind(':');
  unsigned port = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = colon == std::string::npos
                                 ? std::from_chars_result{end, std::errc::invalid_argument}
                                 : std::from_chars(text.data() + colon + 1, end, port);
  if (error != std::errc() || stop != end || port > 65535) {
    return malformed(
        options,
        "'" + options.address + "' is no address; write 127.0.0.1:PORT, [::1]:PORT or unix:/PATH");
  }
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  Poco::Net::IPAddress ip(Poco::Net::IPAddress::IPv6);  // "::", which Poco's parser refuses
  if (host != "::" && !Poco::Net::IPAddress::tryParse(host, ip)) {
    return malformed(options, "'" + host + "' is no numeric address");
  }
  return ParsedAddress{Poco::Net::SocketAddress(ip, static_cast<Poco::UInt16>(port)),
                       ip.isLoopback()};
}

std::optional<ListenFailure> check_exposure(const ListenerOptions& options, bool loopback) {
  const bool guarded = options.authenticated || !options.token.empty() || options.authenticator;
  if (loopback || guarded) return std::nullopt;
  return failure(ListenFailure::Kind::kExposed, options,
                 options.address +
                     " can be reached from other machines and has no authentication; "
                     "set its token, or bind to 127.0.0.1");
}

/// A socket file nobody listens on is removed; whatever else is at the path stays.
std::optional<ListenFailure> make_room(const std::string& path, const ListenerOptions& options) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return std::nullopt;
  if (!S_ISSOCK(info.st_mode)) {
    return failure(ListenFailure::Kind::kTaken, options, path + " exists and is no socket");
  }
  try {
    Poco::Net::StreamSocket probe;
    probe.connect(Poco::Net::SocketAddress(Poco::Net::SocketAddress::UNIX_LOCAL, path));
    return failure(ListenFailure::Kind::kTaken, options,
                   "somebody listens on " + path + " already");
  } catch (const Poco::Exception&) {
    ::unlink(path.c_str());
    return std::nullopt;
  }
}

std::optional<ListenFailure> bind_unix(ListenerState& state) {
  const std::string path = state.options.address.substr(kUnixPrefix.size());
  if (auto error = make_room(path, state.options)) return error;
  const auto folder = std::filesystem::absolute(path).parent_path();
  if (std::error_code ignored; !std::filesystem::is_directory(folder, ignored)) {
    return failure(ListenFailure::Kind::kFailed, state.options,
                   "the folder of " + path + " is not there");
  }
  state.socket.bind(Poco::Net::SocketAddress(Poco::Net::SocketAddress::UNIX_LOCAL, path), false,
                    false);
  state.unlink_at_end = path;
  // Between bind and listen nobody can connect, so the mode is right from the first moment on.
  if (::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0) {
    return failure(ListenFailure::Kind::kForbidden, state.options,
                   "the mode of " + path + " cannot be set to 0600");
  }
  state.unix_socket = true;
  state.address = state.options.address;
  return std::nullopt;
}

std::optional<ListenFailure> bind_inet(ListenerState& state) {
  const auto parsed = parse_address(state.options);
  if (const auto* error = std::get_if<ListenFailure>(&parsed)) return *error;
  const auto& address = std::get<ParsedAddress>(parsed);
  state.loopback = address.loopback;
  // SO_REUSEADDR for a quick restart, never SO_REUSEPORT: a second daemon must not share the port.
  if (address.socket.family() == Poco::Net::SocketAddress::IPv6) {
    state.socket.bind6(address.socket, true, false, true);
  } else {
    state.socket.bind(address.socket, true, false);
  }
  const auto bound = state.socket.address();
  state.port = bound.port();
  state.address = bound.toString();
  return std::nullopt;
}

}  // namespace

ListenerState::~ListenerState() {
  if (!unlink_at_end.empty()) ::unlink(unlink_at_end.c_str());
}

std::optional<ListenFailure> check_listener(const ListenerOptions& options) {
  if (is_unix(options.address)) {
    const size_t length = options.address.size() - kUnixPrefix.size();
    if (length == 0) return malformed(options, "unix: needs a path");
    if (length <= kUnixPathBytes) return std::nullopt;
    return malformed(options, "the path of a Unix socket has " + std::to_string(kUnixPathBytes) +
                                  " bytes at most, this one " + std::to_string(length));
  }
  const auto parsed = parse_address(options);
  if (const auto* error = std::get_if<ListenFailure>(&parsed)) return *error;
  return check_exposure(options, std::get<ParsedAddress>(parsed).loopback);
}

std::variant<std::unique_ptr<ListenerState>, ListenFailure> open_listener(ListenerOptions options) {
  if (auto error = check_listener(options)) return std::move(*error);
  auto state = std::make_unique<ListenerState>();
  state->options = std::move(options);
  ListenerOptions& kept = state->options;
  if (kept.tls) {
    auto tls = TlsContext::create(*kept.tls);
    if (auto* error = std::get_if<std::string>(&tls)) {
      return failure(ListenFailure::Kind::kFailed, kept, *error);
    }
    state->tls = std::get<std::shared_ptr<TlsContext>>(tls);
  }
  if (kept.authenticator) {
    state->guard.set(kept.authenticator);
  } else if (!kept.token.empty()) {
    state->guard.set(make_bearer_authenticator(kept.token, "token"));
  }
  kept.token.clear();  // only its hash is needed from here on
  try {
    auto error = is_unix(kept.address) ? bind_unix(*state) : bind_inet(*state);
    if (error) return std::move(*error);
    state->socket.listen(kept.backlog);
    state->socket.setBlocking(false);
  } catch (const Poco::Exception& e) {
    const auto kind = e.code() == EADDRINUSE ? ListenFailure::Kind::kTaken
                      : e.code() == EACCES   ? ListenFailure::Kind::kForbidden
                                             : ListenFailure::Kind::kFailed;
    return failure(kind, kept, kept.address + " cannot be used: " + e.displayText());
  }
  return state;
}

size_t raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  if (limit.rlim_cur < limit.rlim_max) {
    rlimit raised = limit;
    raised.rlim_cur = limit.rlim_max;
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return static_cast<size_t>(limit.rlim_cur);
}

}  // namespace gantry::transport
