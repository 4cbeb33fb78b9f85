// SPDX-License-Identifier: Apache-2.0
#pragma once
// The HTTP side: what clients ask before and beside the socket. Strand only.

#include <gantry/contracts/http.hpp>
#include <gantry/host.hpp>
#include <gantry/reply.hpp>

#include <cstdint>

#include "settings.hpp"

namespace gantry::gateway {

class Server;

/// The socket and the routes; `max_frame` is the largest message in bytes.
MountRequest mounts(const Settings& settings, std::int64_t max_frame);

void answer_http(Server& server, const Ref<HttpRequest>& request, Reply<HttpHandle> reply);

}  // namespace gantry::gateway
