// SPDX-License-Identifier: Apache-2.0
#pragma once
// to_json() into a text that is being written.

#include <string>

namespace gantry::agent_ws {

/// Appends the JSON text of one of this plugin's payloads; wire.cpp has the definition.
template <class T>
void append_json(std::string& out, const T& payload);

}  // namespace gantry::agent_ws
