// SPDX-License-Identifier: Apache-2.0
// The one file that pays for the codec of this plugin's own types.
#include "settings.hpp"

#include <gantry/codec.hpp>

GANTRY_INSTANTIATE(gantry::document_poppler::Settings)

namespace gantry::document_poppler {

Result<Settings> read_settings(std::string_view json) { return from_json<Settings>(json); }

}  // namespace gantry::document_poppler
