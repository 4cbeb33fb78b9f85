// SPDX-License-Identifier: Apache-2.0
#pragma once

// TLS 1.2 and 1.3 without I/O: OpenSSL over memory BIOs, configured through Poco::Net::Context.
// A session belongs to one connection and is used under its writer's lock.

#include <memory>
#include <string>
#include <string_view>
#include <variant>

struct ssl_st;
struct bio_st;

namespace gantry::transport {

struct TlsFiles {
  std::string certificate;  ///< PEM, the chain
  std::string key;          ///< PEM
};

class TlsSession;

/// Certificates and versions of one listener. Any thread.
class TlsContext {
 public:
  /// The error says which file was wrong and how.
  static std::variant<std::shared_ptr<TlsContext>, std::string> create(const TlsFiles& files);
  ~TlsContext();
  std::unique_ptr<TlsSession> accept() const;

 private:
  TlsContext();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class TlsSession {
 public:
  explicit TlsSession(ssl_st* ssl);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  enum class State : uint8_t { kOk, kClosed, kFailed };

  /// Ciphertext from the peer in; plaintext is appended to `plain`. Call take_ciphertext()
  /// afterwards, for handshake records and alerts.
  State feed(std::string_view ciphertext, std::string& plain);
  /// Plaintext in, false when the session cannot send.
  bool encrypt(std::string_view plain);
  /// Queues the close_notify alert.
  void shut_down();
  /// What has to go to the peer; empty when nothing has.
  std::string take_ciphertext();
  bool established() const;

 private:
  ssl_st* ssl_;
  bio_st* from_peer_;
  bio_st* to_peer_;
};

}  // namespace gantry::transport
