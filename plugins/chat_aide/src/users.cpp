// SPDX-License-Identifier: Apache-2.0
#include "users.hpp"

#include <gantry/contract.hpp>
#include <gantry/contracts/store.hpp>

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace gantry::chat_aide {
namespace {

constexpr std::int64_t kNsInMs = 1'000'000;
constexpr std::size_t kMaxUserName = 64;
constexpr std::size_t kMinPassword = 8;
constexpr std::size_t kMaxPassword = 512;
constexpr std::size_t kSaltBytes = 16;
constexpr std::size_t kSecretBytes = 32;
constexpr auto kKeyRetry = std::chrono::seconds(2);
constexpr auto kForgetPeriod = std::chrono::hours(1);
constexpr std::int32_t kForgottenAtOnce = 200;
constexpr int kMostHashing = 8;  // each takes 32 MiB
// RFC 7914: the cost, and what each of its blocks takes; the memory is 128 * N * r bytes.
constexpr std::uint64_t kScryptN = 32'768;
constexpr std::uint64_t kScryptR = 8;
constexpr std::uint64_t kScryptP = 1;
constexpr std::uint64_t kScryptMemory = 64 << 20;

Result<std::string> random_bytes(std::size_t count) {
  std::string out(count, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(out.data()), static_cast<int>(count)) == 1) {
    return out;
  }
  return unavailable("the system gave no random bytes", "see whether it has a source of them");
}

/// scrypt, hexadecimal; takes about a tenth of a second. Empty when the memory is not there.
std::string password_hash(const std::string& password, const std::string& salt) {
  std::array<unsigned char, kSecretBytes> out{};
  const int done = EVP_PBE_scrypt(
      password.data(), password.size(), reinterpret_cast<const unsigned char*>(salt.data()),
      salt.size(), kScryptN, kScryptR, kScryptP, kScryptMemory, out.data(), out.size());
  if (done != 1) return {};
  return hex_of({reinterpret_cast<const char*>(out.data()), out.size()});
}

bool is_user_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxUserName &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '_' || c == '@' || c == '-';
         });
}

Error no_such_user() { return not_found("there is no such user; gantry user list shows all"); }

Error wrong_password() { return {Code::Unauthenticated, "The name or the password is wrong.", {}}; }

}  // namespace

std::int64_t Users::now_ms() const { return host_.wall_ns() / kNsInMs; }

void Users::load_key() {
  host_.bus().call<StoreGet>({kKeys, {"cookie"}}, [this](const Result<Ref<StoreDocuments>>& found) {
    if (!found.ok()) return key_failed(found.error());
    if ((*found)->documents.empty()) return make_key();
    const Result<KeyRecord> record = from_json<KeyRecord>((*found)->documents.front().body.text);
    if (!record.ok()) return key_failed(record.error());
    const auto key = bytes_of_hex(record->key);
    if (!key || key->size() != kSecretBytes) return key_failed(internal_error("the key is none"));
    has_key(*key);
  });
}

void Users::make_key() {
  const Result<std::string> key = random_bytes(kSecretBytes);
  if (!key.ok()) return key_failed(key.error());
  StoreWriteRequest change;
  change.changes.push_back({kKeys, "cookie", Json(to_json(KeyRecord{hex_of(*key)})), 0});
  change.sync = true;
  host_.bus().call<StoreWrite>(std::move(change),
                               [this, key = *key](const Result<Ref<StoreWritten>>& done) {
                                 if (!done.ok()) return key_failed(done.error());
                                 has_key(key);
                               });
}

void Users::key_failed(const Error& error) {
  host_.degraded("log-in", "the key of the cookies cannot be read: " + error.message,
                 "see the health of the plugin store");
  retry_ = host_.after(kKeyRetry, [this] { load_key(); });
}

void Users::has_key(std::string key) {
  key_ = std::move(key);
  host_.healthy("log-in");
  begin_forgetting();
  forget_ = host_.every(kForgetPeriod, [this] { begin_forgetting(); });
  for (const auto& work : std::exchange(waiting_, {})) work();
}

void Users::with_key(std::function<void()> work) {
  if (!key_.empty()) return work();
  waiting_.push_back(std::move(work));
}

void Users::read(const std::string& name,
                 std::function<void(Result<UserRecord>, std::int64_t)> then) {
  if (!is_user_name(name)) return then(no_such_user(), 0);
  host_.bus().call<StoreGet>({kUsers, {name}}, [then](const Result<Ref<StoreDocuments>>& found) {
    if (!found.ok()) return then(found.error(), 0);
    if ((*found)->documents.empty()) return then(no_such_user(), 0);
    const StoredDocument& document = (*found)->documents.front();
    then(from_json<UserRecord>(document.body.text), document.version);
  });
}

void Users::write(const std::string& name, const UserRecord& record, std::int64_t version,
                  Then<Done> then) {
  StoreWriteRequest change;
  change.changes.push_back({kUsers, name, Json(to_json(record)), version});
  change.sync = true;
  host_.bus().call<StoreWrite>(std::move(change), [then](const Result<Ref<StoreWritten>>& done) {
    if (!done.ok()) return then(done.error());
    then(Done{});
  });
}

void Users::add(const UserAddRequest& request, Then<Done> then) {
  if (!is_user_name(request.name)) {
    return then(invalid_argument("a user's name has 1 to 64 letters, digits and . _ @ -"));
  }
  const std::size_t size = request.password.size();
  if (size != 0 && (size < kMinPassword || size > kMaxPassword)) {
    return then(invalid_argument("a password has 8 to 512 bytes"));
  }
  read(request.name, [this, request, then](const Result<UserRecord>& found, std::int64_t version) {
    if (!found.ok() && found.error().code != Code::NotFound) return then(found.error());
    if (found.ok() && !request.replace) {
      return then(Error{
          Code::AlreadyExists,
          "there is a user '" + request.name + "' already; a new password: gantry user password",
          {}});
    }
    UserRecord record;
    record.created_ms = found.ok() ? found->created_ms : now_ms();
    record.epoch = found.ok() ? found->epoch + 1 : now_ms();  // void what a namesake had
    if (request.password.empty()) return write(request.name, record, version, then);
    host_.blocking([this, request, then, record, version]() mutable {
      const Result<std::string> salt = random_bytes(kSaltBytes);
      if (salt.ok()) {
        record.salt = hex_of(*salt);
        record.hash = password_hash(request.password, *salt);
      }
      host_.post([this, name = request.name, then, record, version] {
        if (record.hash.empty()) return then(unavailable("the password cannot be hashed"));
        write(name, record, version, then);
      });
    });
  });
}

void Users::remove(const std::string& name, Then<Done> then) {
  read(name, [this, name, then](const Result<UserRecord>& found, std::int64_t) {
    if (!found.ok()) return then(found.error());
    StoreWriteRequest change;
    change.changes.push_back({kUsers, name, std::nullopt, std::nullopt});
    change.sync = true;
    host_.bus().call<StoreWrite>(std::move(change), [then](const Result<Ref<StoreWritten>>& done) {
      if (!done.ok()) return then(done.error());
      then(Done{});
    });
  });
}

void Users::list(Then<UserInfoList> then) {
  StoreListRequest request;
  request.collection = kUsers;
  request.limit = 1000;
  host_.bus().call<StoreList>(std::move(request), [then](const Result<Ref<StoreDocuments>>& found) {
    if (!found.ok()) return then(found.error());
    UserInfoList out;
    for (const StoredDocument& document : (*found)->documents) {
      const Result<UserRecord> record = from_json<UserRecord>(document.body.text);
      if (!record.ok()) return then(record.error());
      out.users.push_back({document.key, !record->hash.empty(), record->created_ms});
    }
    then(std::move(out));
  });
}

void Users::link(const std::string& name, std::int64_t expires_ms, Then<std::string> token) {
  read(name, [this, name, expires_ms, token](const Result<UserRecord>& found, std::int64_t) {
    if (!found.ok()) return token(found.error());
    const Result<std::string> random = random_bytes(kSecretBytes);
    if (!random.ok()) return token(random.error());
    const std::string secret = hex_of(*random);
    StoreWriteRequest change;
    change.changes.push_back(
        {kLinks, digest_of(secret), Json(to_json(LinkRecord{name, expires_ms})), 0});
    change.sync = true;
    host_.bus().call<StoreWrite>(std::move(change),
                                 [token, secret](const Result<Ref<StoreWritten>>& done) {
                                   if (!done.ok()) return token(done.error());
                                   token(secret);
                                 });
  });
}

void Users::issue(const std::string& name, std::int64_t expires_ms, Then<std::string> cookie) {
  read(name, [this, name, expires_ms, cookie](const Result<UserRecord>& found, std::int64_t) {
    if (!found.ok()) return cookie(wrong_password());
    with_key([this, who = SignedIn{name, found->epoch, expires_ms}, cookie] {
      cookie(sign_cookie(key_, who));
    });
  });
}

void Users::sign_in(const std::string& name, const std::string& password, std::int64_t expires_ms,
                    Then<std::string> cookie) {
  if (hashing_ >= kMostHashing) {
    return cookie(Error{Code::ResourceExhausted, "Too many sign in at once. Try again.", {}});
  }
  if (password.size() > kMaxPassword) return cookie(wrong_password());
  read(name,
       [this, name, password, expires_ms, cookie](const Result<UserRecord>& found, std::int64_t) {
         if (!found.ok() && found.error().code != Code::NotFound) return cookie(found.error());
         // For who is not there a hash is made as well: nobody learns from the time who is.
         const UserRecord record = found.ok() ? *found : UserRecord{};
         const std::string salt = bytes_of_hex(record.salt).value_or(std::string());
         ++hashing_;
         host_.blocking([this, name, password, expires_ms, cookie, record, salt] {
           const std::string hash = password_hash(password, salt);
           host_.post([this, name, expires_ms, cookie,
                       right = !record.hash.empty() && same_secret(hash, record.hash)] {
             --hashing_;
             if (!right) return cookie(wrong_password());
             issue(name, expires_ms, cookie);
           });
         });
       });
}

void Users::redeem(const std::string& token, std::int64_t expires_ms, Then<std::string> cookie) {
  const std::string key = digest_of(token);
  host_.bus().call<StoreGet>({kLinks, {key}}, [this, key, expires_ms,
                                               cookie](const Result<Ref<StoreDocuments>>& found) {
    if (!found.ok()) return cookie(found.error());
    const Error refused{Code::Unauthenticated, "The link has expired, or was used already.", {}};
    if ((*found)->documents.empty()) return cookie(refused);
    const StoredDocument& document = (*found)->documents.front();
    const Result<LinkRecord> link = from_json<LinkRecord>(document.body.text);
    if (!link.ok()) return cookie(link.error());
    StoreWriteRequest change;  // whoever removes it has it
    change.changes.push_back({kLinks, key, std::nullopt, document.version});
    change.sync = true;
    host_.bus().call<StoreWrite>(
        std::move(change),
        [this, refused, expires_ms, cookie, link = *link](const Result<Ref<StoreWritten>>& done) {
          if (!done.ok() && done.error().code != Code::Aborted) return cookie(done.error());
          if (!done.ok() || link.expires_ms <= now_ms()) return cookie(refused);
          issue(link.user, expires_ms, cookie);
        });
  });
}

void Users::verify(std::string_view cookie, Then<std::string> user) {
  with_key([this, cookie = std::string(cookie), user] {
    const Error refused{Code::Unauthenticated, "sign in at /login", {}};
    const std::optional<SignedIn> who = read_cookie(key_, cookie, now_ms());
    if (!who) return user(refused);
    read(who->user,
         [this, cookie, who = *who, refused, user](const Result<UserRecord>& found, std::int64_t) {
           if (!found.ok() && found.error().code != Code::NotFound) return user(found.error());
           if (!found.ok() || found->epoch != who.epoch) return user(refused);
           not_signed_out(cookie, [who, user](const Result<Done>& holds) {
             if (!holds.ok()) return user(holds.error());
             user(who.user);
           });
         });
  });
}

void Users::not_signed_out(const std::string& cookie, Then<Done> then) {
  host_.bus().call<StoreGet>(
      {kSignedOut, {digest_of(cookie)}}, [then](const Result<Ref<StoreDocuments>>& found) {
        if (!found.ok()) return then(found.error());
        if ((*found)->documents.empty()) return then(Done{});
        then(Error{Code::Unauthenticated, "signed out; sign in at /login", {}});
      });
}

void Users::sign_out(std::string_view cookie, Then<Done> done) {
  with_key([this, cookie = std::string(cookie), done] {
    const std::optional<SignedIn> who = read_cookie(key_, cookie, now_ms());
    if (!who) return done(Done{});
    StoreWriteRequest change;
    change.changes.push_back({kSignedOut, digest_of(cookie),
                              Json(to_json(SignedOutRecord{who->expires_ms})), std::nullopt});
    change.sync = true;
    host_.bus().call<StoreWrite>(std::move(change),
                                 [done](const Result<Ref<StoreWritten>>& written) {
                                   if (!written.ok()) return done(written.error());
                                   done(Done{});
                                 });
  });
}

void Users::begin_forgetting() {
  if (forgetting_) return;  // the last round is not through
  forgetting_ = true;
  forget_expired({});
}

/// Cookies that have expired need not be remembered. A page at a time, from the key `after`, so
/// that those who sign in meanwhile wait for one page at most.
void Users::forget_expired(const std::string& after) {
  StoreListRequest request;
  request.collection = kSignedOut;
  request.after = after;
  request.limit = kForgottenAtOnce;
  host_.bus().call<StoreList>(std::move(request), [this](const Result<Ref<StoreDocuments>>& page) {
    if (!page.ok() || (*page)->documents.empty()) {
      forgetting_ = false;  // the next round tries again
      return;
    }
    StoreWriteRequest change;
    for (const StoredDocument& document : (*page)->documents) {
      const Result<SignedOutRecord> record = from_json<SignedOutRecord>(document.body.text);
      if (record.ok() && record->expires_ms > now_ms()) continue;
      change.changes.push_back({kSignedOut, document.key, std::nullopt, document.version});
    }
    auto go_on = [this, more = (*page)->more, last = (*page)->documents.back().key] {
      if (more) return forget_expired(last);
      forgetting_ = false;
    };
    if (change.changes.empty()) return go_on();
    host_.bus().call<StoreWrite>(std::move(change),
                                 [go_on](const Result<Ref<StoreWritten>>&) { go_on(); });
  });
}

}  // namespace gantry::chat_aide
