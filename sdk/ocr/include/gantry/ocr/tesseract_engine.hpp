// SPDX-License-Identifier: Apache-2.0
//
// One Tesseract engine, and the language data that it needs.
#pragma once

#include <gantry/ocr/line_finder.hpp>
#include <gantry/result.hpp>

#include <opencv2/core.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace tesseract {
class TessBaseAPI;
}

namespace gantry::ocr {

/// Where the language data are: `configured`, else TESSDATA_PREFIX, else Debian's folder.
[[nodiscard]] std::filesystem::path data_folder(const std::string& configured);

/// The languages as Tesseract wants them ("eng+deu"). Errors: invalid_argument (no code of a
/// language, or more than four), unavailable (its data are not in `folder`; names the package).
Result<std::string> language_code(const std::vector<std::string>& languages,
                                  const std::filesystem::path& folder);

/// "Tesseract 5.3.0".
[[nodiscard]] std::string engine_version();

/// Not thread-safe; each worker has its own.
class TesseractEngine {
 public:
  /// Loads the data of `languages` (as language_code() gives them): some 50 ms and 20 MB for one.
  /// Errors: unavailable (the data cannot be read).
  static Result<std::unique_ptr<TesseractEngine>> create(const std::string& languages,
                                                         const std::filesystem::path& folder);
  ~TesseractEngine();
  TesseractEngine(const TesseractEngine&) = delete;
  TesseractEngine& operator=(const TesseractEngine&) = delete;

  /// Words of one line of ink, from the left. On the calling thread alone, for some 10 ms;
  /// words that are uncertain are looked at in another size too.
  std::vector<ReadWord> read_line(const cv::Mat& ink);

 private:
  std::vector<ReadWord> read_at(const cv::Mat& ink, double scale);
  explicit TesseractEngine(std::unique_ptr<tesseract::TessBaseAPI> api);

  std::unique_ptr<tesseract::TessBaseAPI> api_;
};

}  // namespace gantry::ocr
