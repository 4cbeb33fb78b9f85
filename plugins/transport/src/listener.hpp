// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the server listens. Addresses: "127.0.0.1:8765", "[::1]:0", "unix:/run/gantry.sock".

#include <Poco/Net/ServerSocket.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "handler.hpp"
#include "limits.hpp"
#include "policy.hpp"
#include "tls.hpp"
#include "ws_deflate.hpp"

namespace gantry::transport {

struct ListenerOptions {
  std::string name = "main";
  std::string address = "127.0.0.1:0";
  std::optional<TlsFiles> tls;
  /// Every mount without an authenticator of its own asks for this bearer token. Required for an
  /// address that other machines can reach.
  std::string token;
  /// Promises that every mount authenticates, by a token or by itself; mounts that do not are
  /// refused where other machines can reach them.
  bool authenticated = false;
  /// Set instead of a token when an identity plugin decides for the whole listener.
  std::shared_ptr<Authenticator> authenticator;
  AccessPolicy access;
  Limits limits;
  DeflatePolicy deflate;
  int backlog = 1024;
  /// kRequest answers in JSON of at least so many bytes are compressed when the client accepts
  /// gzip.
  size_t gzip_min_bytes = 1024;
};

/// Why a listener could not be opened; the message is a sentence for people.
struct ListenFailure {
  enum class Kind : uint8_t { kMalformed, kTaken, kForbidden, kExposed, kFailed };
  Kind kind = Kind::kFailed;
  std::string message;
};

/// Who checks what mounts leave to their listener; another may take its place while loops read it.
/// A mutex, because GCC 12's std::atomic<std::shared_ptr> lets a load race with a store.
class ListenerGuard {
 public:
  /// Null: nobody is asked.
  std::shared_ptr<Authenticator> get() const {
    const std::lock_guard lock(mutex_);
    return authenticator_;
  }
  void set(std::shared_ptr<Authenticator> authenticator) {
    const std::lock_guard lock(mutex_);
    authenticator_.swap(authenticator);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<Authenticator> authenticator_;
};

struct ListenerState {
  ListenerOptions options;
  std::shared_ptr<TlsContext> tls;
  ListenerGuard guard;
  Poco::Net::ServerSocket socket;
  bool unix_socket = false;
  bool loopback = true;  ///< no other machine can reach it
  std::string address;   ///< as bound, the port filled in
  uint16_t port = 0;
  std::string unlink_at_end;  ///< path of the Unix socket

  ListenerState() = default;
  ListenerState(const ListenerState&) = delete;
  ListenerState& operator=(const ListenerState&) = delete;
  ~ListenerState();
};

/// Checks, binds and listens. Failures: the address is taken, it is not loopback and has no
/// authentication, the certificate is unusable. A Unix socket has mode 0600 before anybody can
/// connect; a stale one is replaced, a live one is an error.
std::variant<std::unique_ptr<ListenerState>, ListenFailure> open_listener(ListenerOptions options);

/// The same refusals without binding, for a check of the configuration.
std::optional<ListenFailure> check_listener(const ListenerOptions& options);

/// Raises the soft limit of open files to the hard one; returns the limit now in force.
size_t raise_file_limit();

}  // namespace gantry::transport
