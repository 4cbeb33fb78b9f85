// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/http.hpp>

GANTRY_INSTANTIATE(gantry::HttpHeader)
GANTRY_INSTANTIATE(gantry::HttpParameter)
GANTRY_INSTANTIATE(gantry::ListenRequest)
GANTRY_INSTANTIATE(gantry::ListenerInfo)
GANTRY_INSTANTIATE(gantry::ListenerList)
GANTRY_INSTANTIATE(gantry::HttpRoute)
GANTRY_INSTANTIATE(gantry::MountRequest)
GANTRY_INSTANTIATE(gantry::HttpRequest)
GANTRY_INSTANTIATE(gantry::HttpResponse)
GANTRY_INSTANTIATE(gantry::HttpPart)
GANTRY_INSTANTIATE(gantry::WsMessage)
GANTRY_INSTANTIATE(gantry::WsOpening)
