// SPDX-License-Identifier: Apache-2.0
//
// Who may sign in, and how: passwords (scrypt) and links that work once. Strand only; passwords are
// hashed on threads where waiting is allowed.
#pragma once

#include <gantry/contracts/user.hpp>
#include <gantry/host.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cookie.hpp"

namespace gantry::chat_aide {

/// Collections of the store: users by name, links by the SHA-256 of their token, the key of the
/// cookies' signatures, and cookies that were given back, by their SHA-256.
inline constexpr const char* kUsers = "users";
inline constexpr const char* kLinks = "links";
inline constexpr const char* kKeys = "keys";
inline constexpr const char* kSignedOut = "signed_out";

struct UserRecord {
  std::string salt;  // hexadecimal; empty: no password
  std::string hash;  // hexadecimal
  std::int64_t epoch = 1;
  std::int64_t created_ms = 0;
};
BOOST_DESCRIBE_STRUCT(UserRecord, (), (salt, hash, epoch, created_ms))

struct LinkRecord {
  std::string user;
  std::int64_t expires_ms = 0;
};
BOOST_DESCRIBE_STRUCT(LinkRecord, (), (user, expires_ms))

struct KeyRecord {
  std::string key;  // hexadecimal
};
BOOST_DESCRIBE_STRUCT(KeyRecord, (), (key))

struct SignedOutRecord {
  std::int64_t expires_ms = 0;  // of the cookie: then nobody need remember it
};
BOOST_DESCRIBE_STRUCT(SignedOutRecord, (), (expires_ms))

class Users {
 public:
  template <class T>
  using Then = std::function<void(Result<T>)>;

  explicit Users(Host& host) : host_(host) {}

  /// Reads the key, or makes it; until it is there, who signs in waits. Not awaited in start(): the
  /// store may be opened only after it.
  void load_key();

  void add(const UserAddRequest& request, Then<Done> then);
  void remove(const std::string& name, Then<Done> then);
  void list(Then<UserInfoList> then);
  /// A token that signs in once.
  void link(const std::string& name, std::int64_t expires_ms, Then<std::string> token);

  /// The cookie of whoever gives the right password, or a link's token. Errors: unauthenticated,
  /// resource_exhausted (too many sign in at once), unavailable.
  void sign_in(const std::string& name, const std::string& password, std::int64_t expires_ms,
               Then<std::string> cookie);
  void redeem(const std::string& token, std::int64_t expires_ms, Then<std::string> cookie);

  /// Whose cookie this is. Errors: unauthenticated, unavailable.
  void verify(std::string_view cookie, Then<std::string> user);
  /// The cookie does not count any more; one that never did is none. Errors: unavailable.
  void sign_out(std::string_view cookie, Then<Done> done);

 private:
  void read(const std::string& name, std::function<void(Result<UserRecord>, std::int64_t)> then);
  void write(const std::string& name, const UserRecord& record, std::int64_t version,
             Then<Done> then);
  void issue(const std::string& name, std::int64_t expires_ms, Then<std::string> cookie);
  void make_key();
  void not_signed_out(const std::string& cookie, Then<Done> then);
  void begin_forgetting();
  void forget_expired(const std::string& after);
  void key_failed(const Error& error);
  void has_key(std::string key);
  /// Runs `work` once the key is there.
  void with_key(std::function<void()> work);
  [[nodiscard]] std::int64_t now_ms() const;

  Host& host_;
  std::string key_;
  std::vector<std::function<void()>> waiting_;  // for the key
  Timer retry_;
  Timer forget_;
  bool forgetting_ = false;
  int hashing_ = 0;
};

}  // namespace gantry::chat_aide
