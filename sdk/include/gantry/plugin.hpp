// SPDX-License-Identifier: Apache-2.0
//
// Plugin: the base class of a C++ plugin, and GANTRY_PLUGIN, which exports it.
//
//   class Greeter final : public gantry::Plugin {
//    public:
//     using Plugin::Plugin;
//     gantry::Result<void> init() override {
//       return host().bus().serve<Greet>([](const GreetRequest& r) -> gantry::Result<Greeting> {
//         return Greeting{"Hello, " + r.name};
//       });
//     }
//   };
//   GANTRY_PLUGIN(Greeter, "greeter", "0.1.0")
#pragma once

#include <gantry/abi/plugin.h>
#include <gantry/host.hpp>
#include <gantry/result.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <string>

namespace gantry {

inline constexpr const char* kSdkVersion = "0.1.0";

class Plugin {
 public:
  explicit Plugin(Host& host) : host_(host) {}
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;
  virtual ~Plugin() = default;

  /// Registers: serve, subscribe, suitability. No calls to others yet.
  virtual Result<void> init() { return {}; }
  /// Becomes ready; what it needs from others is there.
  virtual Result<void> start() { return {}; }
  /// Configuration changed in keys that are `reload: live`.
  virtual Result<void> reconfigure() { return {}; }
  /// Ends all work before the deadline.
  virtual void stop(Deadline) {}

 protected:
  [[nodiscard]] Host& host() const { return host_; }

 private:
  Host& host_;
};

namespace detail {

/// Runs `body`, turning an exception into an error: none may cross the boundary.
template <class F>
gantry_status guarded(gantry_error* out, F&& body) noexcept {
  Result<void> result;
  try {
    result = body();
  } catch (const std::exception& e) {
    result = internal_error(std::string("the plugin threw: ") + e.what());
  } catch (...) {
    result = internal_error("the plugin threw something that is not a std::exception");
  }
  if (result.ok()) return GANTRY_OK;
  gantry_error error = export_error(result.error());
  const gantry_status status = error.code;
  if (out != nullptr) {
    *out = error;
  } else {
    (void)adopt_error(error);
  }
  return status;
}

template <class P>
struct Instance {
  explicit Instance(const gantry_host_api& api) : host(api), plugin(host) {}
  Host host;
  P plugin;

  static gantry_status create(const gantry_host_api* api, gantry_plugin* out, gantry_error* error) {
    return guarded(error, [&]() -> Result<void> {
      GANTRY_TRY(Host::check(*api));
      gantry_plugin made = functions();
      made.self = new Instance(*api);
      // An older host has room for fewer members; one that says nothing has the first version.
      const std::size_t room = out->size == 0 ? kFirstPluginSize : out->size;
      made.size = std::min(room, sizeof made);
      std::memcpy(out, &made, made.size);
      return {};
    });
  }

 private:
  static constexpr std::size_t kFirstPluginSize =
      offsetof(gantry_plugin, get_interface) + sizeof(gantry_plugin::get_interface);

  static gantry_plugin functions() {
    gantry_plugin out{};
    out.init = [](void* s, gantry_error* e) { return guarded(e, [s] { return of(s).init(); }); };
    out.start = [](void* s, gantry_error* e) { return guarded(e, [s] { return of(s).start(); }); };
    out.reconfigure = [](void* s, gantry_error* e) {
      return guarded(e, [s] { return of(s).reconfigure(); });
    };
    out.stop = [](void* s, std::int64_t deadline) {
      guarded(nullptr, [s, deadline]() -> Result<void> {
        of(s).stop(Deadline{deadline});
        return {};
      });
    };
    out.destroy = [](void* s) {
      guarded(nullptr, [s]() -> Result<void> {
        delete static_cast<Instance*>(s);
        return {};
      });
    };
    out.get_interface = [](void*, const char*) -> const void* { return nullptr; };
    return out;
  }
  static Plugin& of(void* self) { return static_cast<Instance*>(self)->plugin; }
};

#if defined(__clang__)
inline constexpr const char* kFingerprint = "clang " __clang_version__;
#else
inline constexpr const char* kFingerprint = "gcc " __VERSION__;
#endif

}  // namespace detail
}  // namespace gantry

/// Exports `Class` as this library's plugin. `name` is the one in plugin.yaml.
#define GANTRY_PLUGIN(Class, name, version)                       \
  extern "C" __attribute__((visibility("default")))               \
  const gantry_plugin_entry_v1 gantry_plugin_entry;               \
  extern "C" const gantry_plugin_entry_v1 gantry_plugin_entry = { \
      GANTRY_PLUGIN_MAGIC,                                        \
      sizeof(gantry_plugin_entry_v1),                             \
      GANTRY_ABI_MAJOR,                                           \
      GANTRY_ABI_MINOR,                                           \
      name,                                                       \
      version,                                                    \
      gantry::kSdkVersion,                                        \
      gantry::detail::kFingerprint,                               \
      &gantry::detail::Instance<Class>::create,                   \
  };
