// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/vision.hpp>

GANTRY_INSTANTIATE(gantry::VisionDetectRequest)
GANTRY_INSTANTIATE(gantry::VisionDetectResult)
GANTRY_INSTANTIATE(gantry::VisionLocateRequest)
GANTRY_INSTANTIATE(gantry::VisionLocateResult)
GANTRY_INSTANTIATE(gantry::VisionLocateDetail)
GANTRY_INSTANTIATE(gantry::VisionDescribeRequest)
GANTRY_INSTANTIATE(gantry::VisionDescription)
GANTRY_INSTANTIATE(gantry::VisionCompareRequest)
GANTRY_INSTANTIATE(gantry::VisionCompareResult)
GANTRY_INSTANTIATE(gantry::VisionTemplateRequest)
GANTRY_INSTANTIATE(gantry::VisionTemplateResult)
GANTRY_INSTANTIATE(gantry::VisionColoursRequest)
GANTRY_INSTANTIATE(gantry::VisionColoursResult)
GANTRY_INSTANTIATE(gantry::VisionOverlayRequest)
GANTRY_INSTANTIATE(gantry::VisionOverlayResult)
