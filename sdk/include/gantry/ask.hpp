// SPDX-License-Identifier: Apache-2.0
#pragma once
// Awaiting calls of contracts and work that waits. Strand only.

#include <gantry/host.hpp>
#include <gantry/task.hpp>

#include <memory>
#include <utility>

namespace gantry {

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

/// `co_await aside<T>(host, work)`: what `work()` answers from a thread where waiting is allowed.
/// The work is a named variable, and what it refers to outlives the wait.
template <class T, class Work>
auto aside(Host& host, Work& work) {
  return completion<T>([&host, &work](auto done) {
    Host& on = host;
    on.blocking([&on, &work, done = std::move(done)]() mutable {
      auto result = std::make_shared<T>(work());
      on.post([done = std::move(done), result]() mutable { done(std::move(*result)); });
    });
  });
}

}  // namespace gantry
