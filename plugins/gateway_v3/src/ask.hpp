// SPDX-License-Identifier: Apache-2.0
#pragma once
// Awaiting calls of contracts. Strand only.

#include <gantry/host.hpp>
#include <gantry/task.hpp>

#include <utility>

namespace gantry::gateway {

/// `co_await ask<C>(host, std::move(request))`: the answer, as Result<Ref<Response>>. The request
/// is a named variable.
template <CallContract C>
auto ask(Host& host, typename C::Request&& request, CallOptions&& options) {
  return completion<Result<Ref<typename C::Response>>>(
      [&host, request = std::move(request), options = std::move(options)](auto done) mutable {
        // `done` may run before the call returns, and then nothing of this is left.
        Host& on = host;
        auto taken = std::move(request);
        const CallOptions with = std::move(options);
        on.bus().call<C>(std::move(taken), std::move(done), with);
      });
}

template <CallContract C>
auto ask(Host& host, typename C::Request&& request) {
  return ask<C>(host, std::move(request), CallOptions{});
}

}  // namespace gantry::gateway
