// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reference pictures for comparisons: PNG files in the folders that the configuration names.

#include <gantry/picture/ssim.hpp>
#include <gantry/result.hpp>

#include <string>
#include <vector>

namespace gantry::observation {

/// Reads a PNG file that lies in one of the folders, as brightness. A relative path is tried in the
/// working directory and then in each folder. Blocks on the disk. Errors: not_found (no such file,
/// or outside: which of the two is not told), invalid_argument (no PNG, or too large).
[[nodiscard]] Result<picture::GrayImage> read_reference_image(
    const std::string& path, const std::vector<std::string>& folders);

}  // namespace gantry::observation
