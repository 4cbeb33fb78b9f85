// SPDX-License-Identifier: Apache-2.0
//
// Scores text recognition on the pictures of corpus.py: ocr_bench FOLDER PLUGIN [fast|accurate]
//
// A character counts as read when it is where and what the corpus says; accuracy is 1 - edits /
// characters, of the words whose middle lies in a text's box. Spurious are characters of words that
// lie in none.
#include <gantry/contracts/ocr.hpp>

#include <fmt/format.h>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gantry/testkit/kernel.hpp>

namespace {

using namespace gantry;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Item {
  Rect box;
  std::string text;
};

struct Picture {
  std::string name;
  Image image;
  std::vector<Item> items;
};

struct Score {
  std::size_t characters = 0;
  std::size_t edits = 0;
  std::size_t without_blanks = 0;  // edits that are not about blanks
  std::size_t items = 0;
  std::size_t exact = 0;
  std::size_t spurious = 0;
  void operator+=(const Score& other) {
    characters += other.characters;
    edits += other.edits;
    without_blanks += other.without_blanks;
    items += other.items;
    exact += other.exact;
    spurious += other.spurious;
  }
};

std::u32string code_points(const std::string& text) {
  std::u32string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) == 0x80U && !out.empty()) {
      out.back() = (out.back() << 6U) | (byte & 0x3FU);
    } else {
      out += byte;
    }
  }
  return out;
}

std::size_t edits(const std::u32string& a, const std::u32string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t best =
          std::min({row[j] + 1, row[j - 1] + 1, corner + (a[i - 1] == b[j - 1] ? 0 : 1)});
      corner = std::exchange(row[j], best);
    }
  }
  return row[b.size()];
}

std::u32string solid(std::u32string text) {
  std::erase(text, U' ');
  return text;
}

Picture load(const fs::path& file) {
  Picture out;
  out.name = file.stem().string();
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::memcpy(&out.image.width, bytes.data(), 4);
  std::memcpy(&out.image.height, bytes.data() + 4, 4);
  out.image.stride = out.image.width * 4;
  out.image.pixels = Buffer::copy(std::string_view(bytes).substr(8));
  std::ifstream truth(fs::path(file).replace_extension(".tsv"));
  Item item;
  while (truth >> item.box.x >> item.box.y >> item.box.width >> item.box.height) {
    truth.get();
    std::getline(truth, item.text);
    out.items.push_back(item);
  }
  return out;
}

Score score(const Picture& picture, const OcrResult& result) {
  Score out;
  std::vector<std::string> read(picture.items.size());
  for (const OcrWord& word : result.words) {
    const std::int32_t x = word.bbox.x + word.bbox.width / 2;
    const std::int32_t y = word.bbox.y + word.bbox.height / 2;
    const auto at = std::find_if(picture.items.begin(), picture.items.end(), [&](const Item& i) {
      return Rect{i.box.x - 3, i.box.y - 3, i.box.width + 6, i.box.height + 6}.contains(x, y);
    });
    if (at == picture.items.end()) {
      out.spurious += code_points(word.text).size();
      continue;
    }
    std::string& text = read[static_cast<std::size_t>(at - picture.items.begin())];
    text += (text.empty() ? "" : " ") + word.text;
  }
  const bool tell = std::getenv("OCR_BENCH_TELL") != nullptr;
  for (std::size_t i = 0; i < read.size(); ++i) {
    const auto truth = code_points(picture.items[i].text);
    const auto found = code_points(read[i]);
    const std::size_t wrong = edits(truth, found);
    if (tell && wrong > 0) {
      fmt::print("  {} ({} px): '{}' -> '{}'\n", picture.name, picture.items[i].box.height,
                 picture.items[i].text, read[i]);
    }
    out.characters += truth.size();
    out.edits += std::min(wrong, truth.size());
    out.without_blanks += edits(solid(truth), solid(found));
    out.exact += wrong == 0 ? 1 : 0;
    ++out.items;
  }
  return out;
}

std::string status(const char* key) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(key)) return line.substr(line.find_first_of("0123456789"));
  }
  return "?";
}

/// The word in the middle of the list becomes another: a few of its columns are turned around.
Image with_a_change(const Picture& picture) {
  Image out = picture.image;
  std::string bytes(picture.image.pixels.text());
  const Rect& box = picture.items[picture.items.size() / 2].box;
  for (std::int32_t y = box.y; y < box.y + box.height; ++y) {
    for (std::int32_t x = box.x; x < box.x + std::min(box.width, 40) / 2; ++x) {
      const auto at = [&](std::int32_t column) {
        return bytes.data() + y * out.stride + column * 4;
      };
      std::swap_ranges(at(x), at(x) + 4, at(box.x + std::min(box.width, 40) - 1 - (x - box.x)));
    }
  }
  out.pixels = Buffer::copy(bytes);
  return out;
}

Image cut(const Image& image, std::int32_t width, std::int32_t height) {
  std::string bytes;
  for (std::int32_t y = 0; y < height; ++y) {
    bytes.append(image.pixels.text().substr(
        static_cast<std::size_t>(y) * static_cast<std::size_t>(image.stride),
        static_cast<std::size_t>(width) * 4));
  }
  Image out{width, height, width * 4, image.format, Buffer::copy(bytes)};
  return out;
}

/// Of all threads; unlike the time on the wall it does not depend on what else runs.
double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

struct Taken {
  double wall = 0;
  double cpu = 0;
};

class Bench {
 public:
  Bench(std::string plugin, OcrMode mode) : plugin_(std::move(plugin)), mode_(mode) {}

  bool open(int pictures) {
    kernel_ = std::make_unique<testkit::InProcessKernel>(testkit::KernelSetup{
        .config = fmt::format("plugins: {{{}: {{config: {{pictures: {}, cache: {}}}}}}}", plugin_,
                              pictures, pictures == 0 ? "0" : "8MiB")});
    return kernel_->start().ok();
  }
  Ref<OcrResult> read(const Image& image, Taken& taken) {
    OcrRequest request;
    request.image = image;
    request.mode = mode_;
    request.min_confidence = 30;  // what the observer asks for
    CallOptions options;
    options.timeout = std::chrono::minutes(5);
    const auto begun = Clock::now();
    const double cpu = cpu_seconds();
    auto answer = kernel_->host().bus().call_wait<OcrRead>(std::move(request), options);
    taken = {std::chrono::duration<double>(Clock::now() - begun).count(), cpu_seconds() - cpu};
    if (!answer.ok()) {
      fmt::print(stderr, "{}: {}\n", plugin_, answer.error().message);
      std::exit(1);
    }
    return *answer;
  }

 private:
  std::string plugin_;
  OcrMode mode_;
  std::unique_ptr<testkit::InProcessKernel> kernel_;
};

void print(const std::string& group, const Score& s) {
  const auto share = [](std::size_t part, std::size_t whole) {
    return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  };
  fmt::print("{:28} {:6} {:8.2f} {:10.2f} {:8.1f} {:9}\n", group, s.characters,
             100 - share(s.edits, s.characters), 100 - share(s.without_blanks, s.characters),
             share(s.exact, s.items), s.spurious);
}

void time_it(Bench& bench, const Picture& screen) {
  Taken taken;
  const auto line = [&](const char* what) {
    fmt::print("{:40} {:8.1f} ms, {:8.1f} ms of processors\n", what, taken.wall * 1e3,
               taken.cpu * 1e3);
  };
  const Image region = cut(screen.image, 640, 200);
  (void)bench.open(3);
  (void)bench.read(region, taken);
  line("640x200, the engines not loaded yet");
  (void)bench.open(3);
  (void)bench.read(cut(screen.image, 64, 40), taken);
  (void)bench.read(region, taken);
  line("640x200, cold");
  (void)bench.read(screen.image, taken);
  line("full HD, cold");
  (void)bench.read(screen.image, taken);
  (void)bench.read(screen.image, taken);
  line("full HD, unchanged");
  (void)bench.read(with_a_change(screen), taken);
  line("full HD, one word changed");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: ocr_bench FOLDER PLUGIN [fast|accurate]\n");
    return 64;
  }
  const bool accurate = argc > 3 && std::string_view(argv[3]) == "accurate";
  std::vector<Picture> pictures;
  for (const auto& entry : fs::directory_iterator(argv[1])) {
    if (entry.path().extension() == ".bgrx") pictures.push_back(load(entry.path()));
  }
  std::sort(pictures.begin(), pictures.end(),
            [](const Picture& a, const Picture& b) { return a.name < b.name; });
  Bench bench(argv[2], accurate ? OcrMode::Accurate : OcrMode::Fast);
  if (pictures.empty() || !bench.open(0)) return 1;
  std::map<std::string, Score> scores;
  double total = 0;
  std::string route;
  for (const Picture& picture : pictures) {
    Taken taken;
    const auto result = bench.read(picture.image, taken);
    route = result->route;
    total += taken.cpu;
    const Score one = score(picture, *result);
    const std::string& name = picture.name;
    const std::size_t theme = name.find('-') + 1;
    const std::size_t half = name.find('-', theme) + 1;
    const std::string group = name.substr(theme, name.find('-', half) - theme);
    scores[group] += one;
    scores["  " + name.substr(0, name.find('-', half))] += one;
  }
  fmt::print("{} ({}), {} pictures\n\n", argv[2], route, pictures.size());
  fmt::print("{:28} {:>6} {:>8} {:>10} {:>8} {:>9}\n", "", "chars", "right %", "no blanks",
             "exact %", "spurious");
  for (const auto& [group, one] : scores) print(group, one);
  fmt::print("\n{:40} {:8.1f} s\n", "all pictures", total);
  const auto screen = std::find_if(pictures.begin(), pictures.end(),
                                   [](const Picture& p) { return p.image.width >= 1920; });
  if (screen != pictures.end()) time_it(bench, *screen);
  fmt::print("{:40} {:>8}\n", "resident at the most", status("VmHWM"));
  return 0;
}
