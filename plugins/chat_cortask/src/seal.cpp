// SPDX-License-Identifier: Apache-2.0
#include "seal.hpp"

#include <gantry/base64.hpp>
#include <gantry/codec.hpp>
#include <gantry/unique_fd.hpp>

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <system_error>
#include <vector>

namespace gantry::chat_cortask {
namespace {

constexpr std::size_t kNonce = 12;
constexpr std::size_t kTag = 16;
constexpr int kRounds = 200'000;
constexpr std::string_view kSalt = "gantry chat_cortask credentials";
constexpr const char* kKeyFile = "credentials.key";
constexpr mode_t kOwnerOnly = 0600;

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Error key_failure(const std::string& path) {
  return unavailable(
      "the key of the credentials, " + path + ", cannot be used: " + std::strerror(errno),
      "set chat_cortask.secret, or make the file readable for the daemon's user");
}

}  // namespace

Result<Seal> Seal::make(std::string_view secret, const std::string& folder) {
  Key key{};
  if (!secret.empty()) {
    PKCS5_PBKDF2_HMAC(secret.data(), static_cast<int>(secret.size()), bytes_of(kSalt),
                      static_cast<int>(kSalt.size()), kRounds, EVP_sha256(),
                      static_cast<int>(key.size()), key.data());
    return Seal(key);
  }
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  const std::string path = (std::filesystem::path(folder) / kKeyFile).string();
  const UniqueFd made(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerOnly));
  if (made) {
    if (RAND_bytes(key.data(), static_cast<int>(key.size())) != 1) return key_failure(path);
    const ssize_t written = ::write(made.get(), key.data(), key.size());
    if (written != static_cast<ssize_t>(key.size()) || ::fsync(made.get()) != 0) {
      return key_failure(path);
    }
    return Seal(key);
  }
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return key_failure(path);
  if (::read(file.get(), key.data(), key.size()) != static_cast<ssize_t>(key.size())) {
    errno = EINVAL;
    return key_failure(path);
  }
  return Seal(key);
}

Result<std::string> Seal::close(std::string_view name, std::string_view text) const {
  std::vector<std::uint8_t> out(kNonce + kTag + text.size());
  const Context context(EVP_CIPHER_CTX_new());
  int size = 0;
  const bool sealed =
      RAND_bytes(out.data(), kNonce) == 1 && context &&
      EVP_EncryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key_.data(), out.data()) == 1 &&
      EVP_EncryptUpdate(context.get(), nullptr, &size, bytes_of(name),
                        static_cast<int>(name.size())) == 1 &&
      EVP_EncryptUpdate(context.get(), out.data() + kNonce + kTag, &size, bytes_of(text),
                        static_cast<int>(text.size())) == 1 &&
      EVP_EncryptFinal_ex(context.get(), out.data() + kNonce + kTag + size, &size) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTag, out.data() + kNonce) == 1;
  if (!sealed) return internal_error("a credential could not be sealed");
  return base64_of(out);
}

Result<std::string> Seal::open(std::string_view name, std::string_view sealed) const {
  const Error broken{
      Code::DataLoss, "a credential cannot be opened with this key; enter it again", {}};
  auto bytes = codec::read_base64(sealed);
  if (!bytes.ok() || bytes->size() < kNonce + kTag) return broken;
  const std::size_t length = bytes->size() - kNonce - kTag;
  std::string out(length, '\0');
  const Context context(EVP_CIPHER_CTX_new());
  auto* text = reinterpret_cast<unsigned char*>(out.data());
  int size = 0;
  const bool opened =
      context &&
      EVP_DecryptInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, key_.data(), bytes->data()) ==
          1 &&
      EVP_DecryptUpdate(context.get(), nullptr, &size, bytes_of(name),
                        static_cast<int>(name.size())) == 1 &&
      EVP_DecryptUpdate(context.get(), text, &size, bytes->data() + kNonce + kTag,
                        static_cast<int>(length)) == 1 &&
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTag, bytes->data() + kNonce) == 1 &&
      EVP_DecryptFinal_ex(context.get(), text + length, &size) == 1;
  if (!opened) return broken;
  return out;
}

}  // namespace gantry::chat_cortask
