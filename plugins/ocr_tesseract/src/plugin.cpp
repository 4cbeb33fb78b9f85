// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "ocr_plugin.hpp"

GANTRY_PLUGIN(gantry::ocr_tesseract::OcrPlugin, "ocr_tesseract", "0.1.0")
