// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/resource.hpp>

GANTRY_INSTANTIATE(gantry::ResourceDescriptions)
GANTRY_INSTANTIATE(gantry::ResourceTemplates)
GANTRY_INSTANTIATE(gantry::ResourceReadRequest)
GANTRY_INSTANTIATE(gantry::ResourceContents)
GANTRY_INSTANTIATE(gantry::ResourceChangedEvent)
