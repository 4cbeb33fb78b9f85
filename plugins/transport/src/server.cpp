// SPDX-License-Identifier: Apache-2.0
#include "server.hpp"

#include <Poco/Net/SocketAddress.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <future>

#include "loop.hpp"

namespace gantry::transport {
namespace {

constexpr size_t kMostLoops = 8;
constexpr int kAcceptsAtOnce = 64;
constexpr size_t kReservedFiles = 256;  // for what is not a connection: files, displays, databases
constexpr std::string_view kBusy =
    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n"
    "Content-Type: application/json\r\nContent-Length: 32\r\n\r\n"
    "{\"error\":\"too many connections\"}";

/// Poco reserves more than an address needs: there may be ten thousand of them for long.
std::string numeric(const Poco::Net::IPAddress& address) {
  std::string text = address.toString();
  text.shrink_to_fit();
  return text;
}

/// What getpeername() or getsockname() says of `fd`; nothing when the peer has gone.
std::optional<Poco::Net::SocketAddress> address_of(int fd, decltype(&::getpeername) ask) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (ask(fd, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return std::nullopt;
  return Poco::Net::SocketAddress(reinterpret_cast<const sockaddr*>(&storage), size);
}

/// Who is at the other end of `fd`; null when it has gone.
std::shared_ptr<PeerInfo> describe_peer(int fd, const ListenerState& listener) {
  auto peer = std::make_shared<PeerInfo>();
  peer->listener = listener.options.name;
  peer->tls = listener.tls != nullptr;
  if (listener.unix_socket) {
    peer->address = "unix";
    ucred credentials{};
    socklen_t size = sizeof credentials;
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0) {
      peer->unix_uid = credentials.uid;
    }
    return peer;
  }
  const auto remote = address_of(fd, &::getpeername);
  const auto local = address_of(fd, &::getsockname);
  if (!remote || !local) return nullptr;
  peer->address = numeric(remote->host());
  peer->port = remote->port();
  peer->loopback = remote->host().isLoopback();
  peer->local_address = numeric(local->host());
  return peer;
}

BoundListener describe(const ListenerState& listener) {
  return {listener.options.name, listener.address, listener.port, listener.tls != nullptr};
}

/// The loops leave signals to whoever handles them in this process.
void block_signals() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

Server::Server(ServerOptions options)
    : options_(std::move(options)),
      clock_(options_.clock ? options_.clock : std::make_shared<SteadyClock>()),
      core_(options_.arriving_bytes, options_.leaving_bytes, *clock_) {}

Server::~Server() {
  stop(0);
  if (spare_fd_ >= 0) ::close(spare_fd_);
}

void Server::start() {
  file_limit_ = raise_file_limit();
  spare_fd_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  size_t count = options_.loops;
  if (count == 0) count = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMostLoops);
  for (size_t i = 0; i < count; ++i) loops_.push_back(std::make_unique<Loop>(core_, *clock_));
  for (size_t i = 0; i < count; ++i) {
    Loop* const loop = loops_[i].get();
    threads_.emplace_back([loop, i] {
      block_signals();
      ::pthread_setname_np(::pthread_self(), ("transport-" + std::to_string(i)).c_str());
      loop->run();
    });
  }
}

ListenerState* Server::find_listener(const std::string& name) const {
  for (const auto& listener : listeners_) {
    if (listener->options.name == name) return listener.get();
  }
  return nullptr;
}

std::variant<BoundListener, ListenFailure> Server::listen(ListenerOptions options) {
  // Accepting more than there are descriptors would only move the refusal to a worse place.
  const size_t room = file_limit_ > kReservedFiles ? file_limit_ - kReservedFiles : 1;
  options.limits.connections = std::min(options.limits.connections, room);
  const std::lock_guard lock(listeners_mutex_);
  if (find_listener(options.name) != nullptr) {
    return ListenFailure{ListenFailure::Kind::kTaken,
                         "there is a listener '" + options.name + "' already"};
  }
  auto opened = open_listener(std::move(options));
  if (auto* error = std::get_if<ListenFailure>(&opened)) return std::move(*error);
  listeners_.push_back(std::move(std::get<std::unique_ptr<ListenerState>>(opened)));
  ListenerState* const state = listeners_.back().get();
  Loop* const acceptor = loops_.front().get();
  acceptor->mailbox()->run([this, acceptor, state] {
    acceptor->watch(state->socket.impl()->sockfd(), [this, state] { accept_ready(*state); });
  });
  return describe(*state);
}

void Server::set_token(const std::string& listener, const std::string& token) {
  const std::lock_guard lock(listeners_mutex_);
  ListenerState* const state = find_listener(listener);
  if (state != nullptr) state->guard.set(make_bearer_authenticator(token, "token"));
}

void Server::accept_ready(ListenerState& listener) {
  const int fd = listener.socket.impl()->sockfd();
  for (int i = 0; i < kAcceptsAtOnce; ++i) {
    const int accepted = ::accept4(fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (accepted < 0) {
      if (errno == ECONNABORTED || errno == EINTR) continue;
      if (errno == EMFILE || errno == ENFILE) {
        shed_connection(fd);
        continue;
      }
      return;
    }
    place(UniqueFd(accepted), listener);
  }
}

/// No descriptor is left: give up the spare one to take a connection and close it, or the listening
/// socket would stay readable and the loop spin.
void Server::shed_connection(int listening_fd) {
  if (spare_fd_ < 0) return;
  ::close(spare_fd_);
  const int victim = ::accept4(listening_fd, nullptr, nullptr, SOCK_CLOEXEC);
  if (victim >= 0) ::close(victim);
  spare_fd_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  core_.counters.connections_refused.fetch_add(1, std::memory_order_relaxed);
}

void Server::place(UniqueFd socket, ListenerState& listener) {
  const int fd = socket.get();
  const std::shared_ptr<const PeerInfo> peer = describe_peer(fd, listener);
  if (!peer) return;
  if (!core_.admit(*peer, listener.options.limits)) {
    core_.counters.connections_refused.fetch_add(1, std::memory_order_relaxed);
    if (!listener.tls) ::send(fd, kBusy.data(), kBusy.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return;
  }
  core_.counters.connections_accepted.fetch_add(1, std::memory_order_relaxed);
  if (!listener.unix_socket) {
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  // In turn, so that each loop has the same share of long-lived connections.
  Loop* const loop = loops_[next_loop_++ % loops_.size()].get();
  if (loop == loops_.front().get()) {
    loop->adopt(std::move(socket), peer, listener);
  } else {
    const auto owned = std::make_shared<UniqueFd>(std::move(socket));
    loop->mailbox()->run(
        [loop, owned, peer, &listener] { loop->adopt(std::move(*owned), peer, listener); });
  }
}

void Server::stop(int64_t grace_ms) {
  if (threads_.empty()) return;
  core_.shutting_down = true;
  std::promise<void> unwatched;
  loops_.front()->mailbox()->run([this, &unwatched] {
    const std::lock_guard lock(listeners_mutex_);
    for (const auto& listener : listeners_) {
      loops_.front()->unwatch(listener->socket.impl()->sockfd());
    }
    unwatched.set_value();
  });
  unwatched.get_future().wait();
  for (const auto& loop : loops_) {
    loop->mailbox()->run([raw = loop.get()] { raw->shut_down_channels(); });
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(grace_ms);
  while (open_connections() > 0 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  for (const auto& loop : loops_) loop->stop();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
  loops_.clear();
  const std::lock_guard lock(listeners_mutex_);
  listeners_.clear();
}

/// Whether the listener of `mount` exists and may carry it; caller holds listeners_mutex_.
std::optional<MountFailure> Server::check_place(const MountPtr& mount) const {
  const ListenerState* const listener = find_listener(mount->listener);
  if (listener == nullptr) {
    std::string names;
    for (const auto& l : listeners_) names += (names.empty() ? "" : ", ") + l->options.name;
    return MountFailure{MountFailure::Kind::kNoListener,
                        "plugin '" + mount->owner + "' wants to mount " + mount->path +
                            " on listener '" + mount->listener +
                            "', which does not exist; there are: " + names};
  }
  const bool guarded = mount->authenticator || mount->own_authentication || listener->guard.get();
  if (!listener->loopback && !guarded) {
    return MountFailure{MountFailure::Kind::kExposed,
                        "plugin '" + mount->owner + "' may not mount " + mount->path +
                            " without authentication on listener '" + mount->listener +
                            "', which other machines can reach"};
  }
  return std::nullopt;
}

std::optional<MountFailure> Server::exchange(const std::vector<MountPtr>& removed,
                                             const std::vector<MountPtr>& added) {
  const std::lock_guard lock(listeners_mutex_);
  for (const auto& mount : added) {
    if (auto failure = check_place(mount)) return failure;
  }
  return core_.exchange_mounts(removed, added);
}

std::vector<BoundListener> Server::listeners() const {
  const std::lock_guard lock(listeners_mutex_);
  std::vector<BoundListener> out;
  for (const auto& listener : listeners_) {
    out.push_back(describe(*listener));
  }
  return out;
}

void Server::poke() {
  // A round that has begun would sleep by the time that it took before the jump.
  for (const auto& loop : loops_) loop->mailbox()->run([raw = loop.get()] { raw->update_now(); });
}

}  // namespace gantry::transport
