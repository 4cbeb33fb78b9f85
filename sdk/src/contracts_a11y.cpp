// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/a11y.hpp>

GANTRY_INSTANTIATE(gantry::A11yTreeRequest)
GANTRY_INSTANTIATE(gantry::A11yNode)
GANTRY_INSTANTIATE(gantry::A11yDegraded)
GANTRY_INSTANTIATE(gantry::A11yTree)
GANTRY_INSTANTIATE(gantry::A11yActionRequest)
GANTRY_INSTANTIATE(gantry::A11yActionResult)
GANTRY_INSTANTIATE(gantry::A11yChangedEvent)
