// SPDX-License-Identifier: Apache-2.0
#include <gantry/plugin.hpp>

#include "ppocr_plugin.hpp"

GANTRY_PLUGIN(gantry::ocr_ppocr::PpocrPlugin, "ocr_ppocr", "0.1.0")
