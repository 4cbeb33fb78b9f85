// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/ocr.hpp>

GANTRY_INSTANTIATE(gantry::OcrRequest)
GANTRY_INSTANTIATE(gantry::OcrResult)
