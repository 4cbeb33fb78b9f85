// SPDX-License-Identifier: Apache-2.0
#include <gantry/ocr/tesseract_engine.hpp>
#include <gantry/ocr/words.hpp>

#include <fmt/format.h>
#include <tesseract/baseapi.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <opencv2/imgproc.hpp>
#include <string_view>

// Of libgomp, which Tesseract brings; its header comes with GCC only.
extern "C" void omp_set_max_active_levels(int);

namespace gantry::ocr {
namespace {

constexpr std::size_t kMostLanguages = 4;
constexpr double kCertain = 60;      // of 100; less certain words get a second look
constexpr double kSecondLook = 1.5;  // its scale beside the first
constexpr int kMargin = 8;           // ground around a line, pixels as Tesseract sees them

bool is_code(const std::string& language) {
  return language.size() >= 2 && language.size() <= 24 &&
         std::all_of(language.begin(), language.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
         });
}

/// Debian's name of the package with these data.
std::string package_of(std::string language) {
  for (char& c : language) {
    if (c == '_') c = '-';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return "tesseract-ocr-" + language;
}

/// Small text is read better when it is larger; beyond that it only takes longer.
double scale_for(int height) {
  if (height <= 9) return 3;
  return height <= 40 ? 2 : 1;
}

std::string trimmed(const char* text) {
  std::string out(text);
  const std::size_t first = out.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return out.substr(first, out.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

std::filesystem::path data_folder(const std::string& configured) {
  if (!configured.empty()) return configured;
  const char* given = std::getenv("TESSDATA_PREFIX");
  if (given != nullptr && *given != '\0') return given;
  return "/usr/share/tesseract-ocr/5/tessdata";
}

Result<std::string> language_code(const std::vector<std::string>& languages,
                                  const std::filesystem::path& folder) {
  if (languages.empty() || languages.size() > kMostLanguages) {
    return invalid_argument(fmt::format("from 1 to {} languages can be read at once, found {}",
                                        kMostLanguages, languages.size()));
  }
  std::string out;
  for (const std::string& language : languages) {
    if (!is_code(language)) {
      return invalid_argument(
          "a language is named by its ISO 639-2 code, such as eng or chi_sim; what was given is "
          "no such code");
    }
    std::error_code failed;
    if (!std::filesystem::is_regular_file(folder / (language + ".traineddata"), failed)) {
      return unavailable(fmt::format("text in '{}' cannot be read: {} has no {}.traineddata",
                                     language, folder.string(), language),
                         fmt::format("install the package {}", package_of(language)));
    }
    out += (out.empty() ? "" : "+") + language;
  }
  return out;
}

std::string engine_version() {
  return std::string("Tesseract ") + tesseract::TessBaseAPI::Version();
}

namespace {

/// Tesseract's remarks would hold text of the screen. Where they go is one string of the process,
/// which other engines may be reading: it is written before the first of them reads a line, and not
/// again.
void keep_quiet(tesseract::TessBaseAPI& api) {
  static std::once_flag once;
  std::call_once(once, [&api] {
    const char* const now = api.GetStringVariable("debug_file");
    const std::string_view nowhere = "/dev/null";
    if (now == nullptr || now != nowhere) api.SetVariable("debug_file", nowhere.data());
  });
}

}  // namespace

TesseractEngine::TesseractEngine(std::unique_ptr<tesseract::TessBaseAPI> api)
    : api_(std::move(api)) {}

TesseractEngine::~TesseractEngine() {
  api_.reset();
  // Word lists (3.6 MB of English) stay in the process for the next engine, unless it is asked to
  // let those go that no engine uses.
  tesseract::TessBaseAPI::ClearPersistentCache();
}

Result<std::unique_ptr<TesseractEngine>> TesseractEngine::create(
    const std::string& languages, const std::filesystem::path& folder) {
  auto api = std::make_unique<tesseract::TessBaseAPI>();
  if (api->Init(folder.c_str(), languages.c_str(), tesseract::OEM_LSTM_ONLY) != 0) {
    return unavailable(
        fmt::format("Tesseract cannot use the data of '{}' in {}", languages, folder.string()),
        "install the package tesseract-ocr-eng, or that of the language, again");
  }
  keep_quiet(*api);
  api->SetVariable("tessedit_do_invert", "0");  // ink is always dark here
  api->SetPageSegMode(tesseract::PSM_SINGLE_LINE);
  return std::unique_ptr<TesseractEngine>(new TesseractEngine(std::move(api)));
}

std::vector<ReadWord> TesseractEngine::read_line(const cv::Mat& ink) {
  const double scale = scale_for(ink.rows);
  std::vector<ReadWord> words = read_at(ink, scale);
  if (least_certain(words) >= kCertain) return words;
  for (const Stretch& part : uncertain_in(words, ink, kCertain)) {
    std::vector<ReadWord> closer = read_at(ink.colRange(part.columns), scale * kSecondLook);
    if (least_certain(closer) > least_certain(words_in(words, part))) {
      replace(words, part, std::move(closer));
    }
  }
  return words;
}

std::vector<ReadWord> TesseractEngine::read_at(const cv::Mat& ink, double scale) {
  // What OMP_THREAD_LIMIT=1 does for a process, for this thread: its threads make it 2 to 4 times
  // slower on lines, and would outlive the plugin.
  omp_set_max_active_levels(0);
  cv::Mat large;
  cv::resize(ink, large, cv::Size(), scale, scale, cv::INTER_CUBIC);
  cv::Mat page;
  cv::copyMakeBorder(large, page, kMargin, kMargin, kMargin, kMargin, cv::BORDER_CONSTANT, 0);
  cv::bitwise_not(page, page);
  api_->SetImage(page.data, page.cols, page.rows, 1, static_cast<int>(page.step));
  api_->SetSourceResolution(150);
  std::vector<ReadWord> out;
  if (api_->Recognize(nullptr) != 0) return out;
  const std::unique_ptr<tesseract::ResultIterator> words(api_->GetIterator());
  if (words == nullptr) return out;
  const auto back = [&](int at) { return static_cast<int>(std::lround((at - kMargin) / scale)); };
  do {
    const std::unique_ptr<char[]> text(words->GetUTF8Text(tesseract::RIL_WORD));
    if (text == nullptr) continue;
    ReadWord word{trimmed(text.get()), words->Confidence(tesseract::RIL_WORD), {}};
    int left = 0;
    int top = 0;
    int right = 0;
    int bottom = 0;
    if (word.text.empty() ||
        !words->BoundingBox(tesseract::RIL_WORD, &left, &top, &right, &bottom)) {
      continue;
    }
    word.box = cv::Rect(cv::Point(back(left), back(top)), cv::Point(back(right), back(bottom))) &
               cv::Rect(cv::Point(), ink.size());
    if (!word.box.empty()) out.push_back(std::move(word));
  } while (words->Next(tesseract::RIL_WORD));
  api_->Clear();
  return out;
}

}  // namespace gantry::ocr
