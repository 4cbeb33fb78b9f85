// SPDX-License-Identifier: Apache-2.0
#include <openssl/sha.h>

#include <array>

#include "handler.hpp"
#include "policy.hpp"

namespace gantry::transport {
namespace {

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

Digest digest_of(std::string_view text) {
  Digest digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return digest;
}

std::string_view view_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

/// Keeps the token's hash only, and compares hashes: neither the length nor the beginning of the
/// token shows in the time it takes.
class BearerAuthenticator final : public Authenticator {
 public:
  BearerAuthenticator(std::string_view token, std::string principal)
      : expected_(digest_of(token)), principal_(std::move(principal)) {}

  void check(const RequestPtr& request, Done done) override {
    const std::string_view token = bearer_token(request->head);
    if (token.empty()) {
      done({false, {}, "this needs 'Authorization: Bearer <token>'", 401});
      return;
    }
    const Digest given = digest_of(token);
    if (!equal_in_constant_time(view_of(given), view_of(expected_))) {
      done({false, {}, "the bearer token is not valid", 401});
      return;
    }
    done({true, principal_, {}, 200});
  }

 private:
  Digest expected_;
  std::string principal_;
};

}  // namespace

std::shared_ptr<Authenticator> make_bearer_authenticator(std::string token, std::string principal) {
  return std::make_shared<BearerAuthenticator>(token, std::move(principal));
}

}  // namespace gantry::transport
