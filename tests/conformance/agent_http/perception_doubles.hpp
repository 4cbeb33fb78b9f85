// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gantry/host.hpp>

namespace gantry::conformance {

/// Serves OCR and vision by the size and the description alone, so that tables can say what comes:
///   200x100  "Search Amazon", "Cancel" twice, "Search Walmart"     300x100  "Save"
///   30x20    unavailable to OCR      64x48 has no text, and nobody has words for it
/// Descriptions: "nothing" is not found, "broken" unavailable, "wrong" invalid; "many" is found 30
/// times, everything else once, in the middle.
void serve_perception_doubles(Host& host);

}  // namespace gantry::conformance
