// SPDX-License-Identifier: Apache-2.0
// How a command reaches contracts: through the control socket of a running daemon, or by starting
// what is needed in this process, without listeners.
#pragma once

#include <gantry/contract.hpp>
#include <gantry/result.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/cli.hpp"

namespace gantry::cli {

struct CallRequest {
  std::string contract{};
  std::string json = "{}";
  std::string target{};
  int timeout_ms = 10'000;
};

class Access {
 public:
  virtual ~Access() = default;
  /// The answer as JSON text.
  virtual Result<std::string> call(const CallRequest& request) = 0;
  /// "the daemon at /run/…" or "this process".
  virtual std::string describe() const = 0;
  virtual bool is_daemon() const = 0;
};

/// What has to run for an in-process call.
enum class Need {
  kNothing,     ///< the kernel's own contracts only
  kContract,    ///< the plugins that serve one contract, and what they require
  kProvider,    ///< the plugins that serve one contract, with nothing that they can do without
  kProbes,      ///< the plugins that serve gantry.platform.probe/1
  kEverything,  ///< every plugin that opens no listener
  kContracts,   ///< the same, lazy ones too, so that all contracts are declared
};

/// The running daemon when there is one (and --in-process was not given), else this process.
Result<std::unique_ptr<Access>> open_access(const Invocation& invocation, Need need,
                                            const std::string& contract = {});
/// The exit code of a command that `error` ended: kUnavailable, kConfig when open_access() found
/// the configuration wrong, else kFailed.
int exit_of(const Error& error);
/// The running daemon, or an error that says how to start one.
Result<std::unique_ptr<Access>> open_daemon(const Invocation& invocation);

/// Calls a contract with its C++ types.
template <CallContract C>
Result<Ref<typename C::Response>> call_typed(Access& access, const typename C::Request& request,
                                             std::string target = {}, int timeout_ms = 10'000) {
  gantry_buf encoded{};
  if (type_of<typename C::Request>().encode(&request, &encoded) != GANTRY_OK) {
    return internal_error("the request cannot be written as JSON");
  }
  CallRequest call;
  call.contract = std::string(C::kName);
  call.json = std::string(Buffer::adopt(encoded).text());
  call.target = std::move(target);
  call.timeout_ms = timeout_ms;
  GANTRY_ASSIGN(const std::string answer, access.call(call));
  const gantry_body* body = nullptr;
  gantry_error error{};
  const auto status = type_of<typename C::Response>().decode(to_str(answer), &body, &error);
  if (status != GANTRY_OK) return adopt_error(status, error);
  return Ref<typename C::Response>::adopt(body);
}

}  // namespace gantry::cli
