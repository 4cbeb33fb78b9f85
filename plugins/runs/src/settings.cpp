// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the codec of this plugin's own types.
#include "settings.hpp"

#include <gantry/codec.hpp>

#include "payloads.hpp"
#include "record.hpp"

GANTRY_INSTANTIATE(gantry::RunWorkerState)
GANTRY_INSTANTIATE(gantry::runs::Settings)
GANTRY_INSTANTIATE(gantry::runs::Record)
GANTRY_INSTANTIATE(gantry::runs::EventBody)
GANTRY_INSTANTIATE(gantry::runs::CreatedPayload)
GANTRY_INSTANTIATE(gantry::runs::TracePayload)
GANTRY_INSTANTIATE(gantry::runs::ControlPayload)
GANTRY_INSTANTIATE(gantry::runs::WorkerPayload)
GANTRY_INSTANTIATE(gantry::runs::DispatchedPayload)
GANTRY_INSTANTIATE(gantry::runs::Metadata)
GANTRY_INSTANTIATE(gantry::runs::EndedDetail)
GANTRY_INSTANTIATE(gantry::runs::LimitDetail)

namespace gantry::runs {

Json text_or_null(const std::optional<std::string>& text) {
  return text ? Json(to_json(*text)) : Json();
}

Result<Settings> read_settings(std::string_view json) { return from_json<Settings>(json); }

}  // namespace gantry::runs
