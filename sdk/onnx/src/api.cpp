// SPDX-License-Identifier: Apache-2.0
#include "api.hpp"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>

namespace gantry::onnx {
namespace {

/// What the places in the table were checked for; a newer library still serves it.
constexpr std::uint32_t kApiVersion = 17;
constexpr int kFatalOnly = 4;  // the library's own log; errors come back as a status

constexpr const char* kLibraryCure = "run: gantry models fetch onnxruntime";

struct ApiBase {
  const void* const* (*get_api)(std::uint32_t version);
  const char* (*get_version)();
};

Result<const Api*> open_library(const std::filesystem::path& library) {
  GANTRY_TRY(check_file(library, kLibraryCure));
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* why = dlerror();  // NOLINT(concurrency-mt-unsafe): glibc keeps it per thread
    return unavailable(std::string("ONNX Runtime cannot be opened: ") + (why ? why : "unknown"),
                       kLibraryCure);
  }
  const auto base_of = reinterpret_cast<const ApiBase* (*)()>(dlsym(handle, "OrtGetApiBase"));
  const ApiBase* base = base_of == nullptr ? nullptr : base_of();
  const void* const* table = base == nullptr ? nullptr : base->get_api(kApiVersion);
  if (table == nullptr) {
    return unavailable(library.string() + " is not ONNX Runtime, or is older than 1.17",
                       kLibraryCure);
  }
  auto api = std::make_unique<Api>();
  api->table = table;
  api->version = base->get_version();
  GANTRY_TRY(api->call(Entry::CreateEnv, kFatalOnly, static_cast<const char*>("gantry"),
                       static_cast<void**>(&api->env)));
  return api.release();
}

}  // namespace

Result<void> Api::checked(Status* status) const {
  if (status == nullptr) return {};
  const auto message_of =
      reinterpret_cast<const char* (*)(const Status*)>(at(Entry::GetErrorMessage));
  Error error = internal_error(std::string("ONNX Runtime: ") + message_of(status));
  release(Entry::ReleaseStatus, status);
  return error;
}

Result<void> check_file(const std::filesystem::path& file, const std::string& cure) {
  struct stat found {};
  if (stat(file.c_str(), &found) != 0) {
    const std::error_code why(errno, std::generic_category());
    return unavailable("there is no " + file.string() + ": " + why.message(), cure);
  }
  if (!S_ISREG(found.st_mode)) return unavailable(file.string() + " is no file", cure);
  const bool ours = found.st_uid == 0 || found.st_uid == geteuid();
  if (!ours || (found.st_mode & S_IWOTH) != 0) {
    return unavailable(
        file.string() + " could have been written by another user, so it is not used",
        "chown it to the user of the daemon and chmod o-w it");
  }
  return {};
}

Result<const Api*> api_of(const std::filesystem::path& library) {
  static std::mutex mutex;
  // Kept to the end of the process and beyond, as the libraries are.
  static auto& opened = *new std::map<std::filesystem::path, const Api*>;
  const std::lock_guard lock(mutex);
  if (const auto found = opened.find(library); found != opened.end()) return found->second;
  GANTRY_ASSIGN(const Api* api, open_library(library));
  opened.emplace(library, api);
  return api;
}

}  // namespace gantry::onnx
