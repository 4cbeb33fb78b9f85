// SPDX-License-Identifier: Apache-2.0
#include <gantry/codec.hpp>
#include <gantry/contracts/picture.hpp>

GANTRY_INSTANTIATE(gantry::PictureOpenRequest)
GANTRY_INSTANTIATE(gantry::OpenedPicture)
GANTRY_INSTANTIATE(gantry::PictureTextRequest)
GANTRY_INSTANTIATE(gantry::PictureTextRows)
GANTRY_INSTANTIATE(gantry::PictureLocateRequest)
GANTRY_INSTANTIATE(gantry::PictureTargets)
GANTRY_INSTANTIATE(gantry::PictureFitRequest)
GANTRY_INSTANTIATE(gantry::FittedPicture)
