// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "document_plugin.hpp"

GANTRY_PLUGIN(gantry::document_poppler::DocumentPlugin, "document_poppler", "0.1.0")
