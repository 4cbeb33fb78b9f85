// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pictures as files, by their short names here.

#include <gantry/picture/file.hpp>

namespace gantry::observation {

using picture::encode_picture;
using picture::picture_key;
using picture::PictureFile;
using picture::PictureFormat;
using picture::PictureWish;

}  // namespace gantry::observation
