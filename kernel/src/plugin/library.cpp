// SPDX-License-Identifier: Apache-2.0
#include "plugin/library.hpp"

#include <boost/dll/shared_library.hpp>

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#if defined(__SANITIZE_ADDRESS__)
#define GANTRY_LEAKS_ARE_SOUGHT
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GANTRY_LEAKS_ARE_SOUGHT
#endif
#endif
#ifdef GANTRY_LEAKS_ARE_SOUGHT
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the names are those of the compilers' runtimes
// LeakSanitizer (GCC 12, clang 16) reads a thread's table of thread-local storage where it was
// before glibc had to make it larger for a loaded plugin, and ends by a signal. So it does not look
// there, and what only such storage holds is named: the table itself, what is to be done when a
// thread ends, OpenSSL's and OpenMP's state of each thread. Nor does it then ask the dynamic loader
// what it holds, such as its list of libraries that all others see.
__attribute__((visibility("default"))) const char* __lsan_default_options() { return "use_tls=0"; }
__attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
  return "leak:_dl_resize_dtv\nleak:__cxa_thread_atexit_impl\nleak:CRYPTO_zalloc\nleak:libgomp\n"
         "leak:add_to_global_resize\n";
}
// NOLINTEND(readability-identifier-naming)
}
#endif

namespace gantry::plugin {
namespace {

struct Opened {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<boost::dll::shared_library>> libraries;
};

// Never destroyed: its destructor would close the libraries.
Opened& opened() {
  static auto* const kOpened = new Opened;
  return *kOpened;
}

std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

std::string text_of(const char* text) { return text == nullptr ? "(nothing)" : text; }

}  // namespace

Result<const gantry_plugin_entry_v1*> open_library(const std::filesystem::path& file) {
  namespace dll = boost::dll;
  auto& all = opened();
  const std::lock_guard lock(all.mutex);
  auto& slot = all.libraries[file.string()];
  try {
    if (!slot) {
      slot = std::make_unique<dll::shared_library>(
          file.string(), dll::load_mode::rtld_now | dll::load_mode::rtld_local);
    }
    if (!slot->has(GANTRY_PLUGIN_ENTRY_SYMBOL)) {
      return failed_precondition(file.string() +
                                 " is a library but no plugin: it does not export " +
                                 GANTRY_PLUGIN_ENTRY_SYMBOL);
    }
    return &slot->get<const gantry_plugin_entry_v1>(GANTRY_PLUGIN_ENTRY_SYMBOL);
  } catch (const std::exception& error) {
    all.libraries.erase(file.string());
    return failed_precondition("cannot open " + file.string() + ": " + error.what());
  }
}

Result<void> check_entry(const gantry_plugin_entry_v1& entry, const Manifest& manifest) {
  const std::string file = manifest.shared_object().string();
  if (entry.magic != GANTRY_PLUGIN_MAGIC) {
    return failed_precondition(file + " is no Gantry plugin: its entry begins with " +
                               hex(entry.magic) + ", expected " + hex(GANTRY_PLUGIN_MAGIC) +
                               "; rebuild it");
  }
  if (entry.struct_size < sizeof(gantry_plugin_entry_v1)) {
    return failed_precondition(file + " has an entry of " + std::to_string(entry.struct_size) +
                               " bytes, needed are " +
                               std::to_string(sizeof(gantry_plugin_entry_v1)) + "; rebuild it");
  }
  const std::string mismatch =
      abi_mismatch(entry.abi_major, entry.abi_minor, GANTRY_ABI_MAJOR, GANTRY_ABI_MINOR);
  if (!mismatch.empty()) return failed_precondition(file + ": " + mismatch);
  if (text_of(entry.name) != manifest.name) {
    return failed_precondition(file + " says its name is '" + text_of(entry.name) +
                               "', plugin.yaml says '" + manifest.name + "'");
  }
  const auto version = Version::parse(text_of(entry.version));
  if (!version || *version != manifest.version) {
    return failed_precondition(file + " says its version is " + text_of(entry.version) +
                               ", plugin.yaml says " + manifest.version.to_string() +
                               "; install both from the same build");
  }
  if (entry.create == nullptr) return failed_precondition(file + " has no create function");
  return {};
}

}  // namespace gantry::plugin
