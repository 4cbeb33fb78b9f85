// SPDX-License-Identifier: Apache-2.0
#include "tls.hpp"

#include <Poco/Exception.h>
#include <Poco/Net/Context.h>
#include <Poco/Net/NetSSL.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>

namespace gantry::transport {
namespace {

constexpr char kCiphers[] = "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL";
constexpr unsigned char kHttp11[] = "\x08http/1.1";

/// ALPN: HTTP/1.1 or nothing; a client that offers only h2 gets no protocol chosen and may go on.
int select_protocol(SSL*, const unsigned char** out, unsigned char* out_length,
                    const unsigned char* offered, unsigned int offered_length, void*) {
  unsigned char* chosen = nullptr;
  const int result = SSL_select_next_proto(&chosen, out_length, kHttp11, sizeof kHttp11 - 1,
                                           offered, offered_length);
  if (result != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_NOACK;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

struct TlsContext::Impl {
  Poco::Net::Context::Ptr context;
};

TlsContext::TlsContext() : impl_(std::make_unique<Impl>()) {}
TlsContext::~TlsContext() = default;

std::variant<std::shared_ptr<TlsContext>, std::string> TlsContext::create(const TlsFiles& files) {
  std::shared_ptr<TlsContext> made(new TlsContext);
  try {
    Poco::Net::initializeSSL();
    Poco::Net::Context::Params params;
    params.certificateFile = files.certificate;
    params.privateKeyFile = files.key;
    params.verificationMode = Poco::Net::Context::VERIFY_NONE;
    params.cipherList = kCiphers;
    made->impl_->context = new Poco::Net::Context(Poco::Net::Context::TLS_SERVER_USE, params);
    made->impl_->context->requireMinimumProtocol(Poco::Net::Context::PROTO_TLSV1_2);
  } catch (const Poco::Exception& e) {
    return "TLS certificate '" + files.certificate + "' with key '" + files.key +
           "' cannot be used: " + e.displayText();
  }
  SSL_CTX* const raw = made->impl_->context->sslContext();
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_alpn_select_cb(raw, &select_protocol, nullptr);
  if (SSL_CTX_check_private_key(raw) != 1) {
    ERR_clear_error();
    return "TLS key '" + files.key + "' does not belong to certificate '" + files.certificate + "'";
  }
  return made;
}

std::unique_ptr<TlsSession> TlsContext::accept() const {
  SSL* const ssl = SSL_new(impl_->context->sslContext());
  return ssl == nullptr ? nullptr : std::make_unique<TlsSession>(ssl);
}

TlsSession::TlsSession(ssl_st* ssl)
    : ssl_(ssl), from_peer_(BIO_new(BIO_s_mem())), to_peer_(BIO_new(BIO_s_mem())) {
  SSL_set_bio(ssl_, from_peer_, to_peer_);  // the session owns both from here on
  SSL_set_accept_state(ssl_);
}

TlsSession::~TlsSession() { SSL_free(ssl_); }

bool TlsSession::established() const { return SSL_is_init_finished(ssl_) == 1; }

TlsSession::State TlsSession::feed(std::string_view ciphertext, std::string& plain) {
  ERR_clear_error();
  if (BIO_write(from_peer_, ciphertext.data(), static_cast<int>(ciphertext.size())) !=
      static_cast<int>(ciphertext.size())) {
    return State::kFailed;
  }
  std::array<char, 16 * 1024> block;
  while (true) {
    const int got = SSL_read(ssl_, block.data(), static_cast<int>(block.size()));
    if (got > 0) {
      plain.append(block.data(), static_cast<size_t>(got));
      continue;
    }
    const int error = SSL_get_error(ssl_, got);
    ERR_clear_error();
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return State::kOk;
    return error == SSL_ERROR_ZERO_RETURN ? State::kClosed : State::kFailed;
  }
}

bool TlsSession::encrypt(std::string_view plain) {
  ERR_clear_error();
  while (!plain.empty()) {
    const int chunk = static_cast<int>(std::min<size_t>(plain.size(), 1u << 20));
    const int done = SSL_write(ssl_, plain.data(), chunk);
    if (done <= 0) {
      ERR_clear_error();
      return false;
    }
    plain.remove_prefix(static_cast<size_t>(done));
  }
  return true;
}

void TlsSession::shut_down() {
  if (established()) SSL_shutdown(ssl_);
  ERR_clear_error();
}

std::string TlsSession::take_ciphertext() {
  std::string out(BIO_ctrl_pending(to_peer_), '\0');
  if (!out.empty()) BIO_read(to_peer_, out.data(), static_cast<int>(out.size()));
  return out;
}

}  // namespace gantry::transport
