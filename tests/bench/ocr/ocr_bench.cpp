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
#include <optional>
#include <string>
#include <string_view>
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

/// Copies the pixels of `from`, and one around them, to `to`.
Image with_copied(const Image& image, const Rect& from, const Rect& to) {
  Image out = image;
  std::string bytes(image.pixels.text());
  const auto at = [&](std::int32_t x, std::int32_t y) {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(image.stride) +
           static_cast<std::size_t>(x) * 4;
  };
  const auto row = static_cast<std::size_t>(from.width + 2) * 4;
  for (std::int32_t y = -1; y <= from.height; ++y) {
    bytes.replace(at(to.x - 1, to.y + y), row,
                  image.pixels.text().substr(at(from.x - 1, from.y + y), row));
  }
  out.pixels = Buffer::copy(bytes);
  return out;
}

/// A word in the middle of a line becomes another word of the picture, of about the same size.
struct Changed {
  Image image;
  std::string text;
  Rect box;
};
std::optional<Changed> with_a_change(const Picture& picture, const OcrResult& read) {
  const auto& words = read.words;
  for (std::size_t i = words.size() / 2; i + 1 < words.size(); ++i) {
    const OcrWord& old = words[i];
    if (words[i - 1].line != old.line || words[i + 1].line != old.line) continue;
    if (old.bbox.width < 30 || old.bbox.width > 90) continue;
    for (const OcrWord& other : words) {
      const std::int32_t wider = other.bbox.width - old.bbox.width;
      if (other.text == old.text || other.bbox.height != old.bbox.height) continue;
      if (wider < 0 || wider > 2 || other.confidence < 90 || other.bbox.x < 1) continue;
      return Changed{with_copied(picture.image, other.bbox, old.bbox), other.text, old.bbox};
    }
  }
  return std::nullopt;
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
    kernel_.reset();  // two at a time would count twice in what is resident
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

/// On the wall against its limit, in milliseconds; the processors' time tells what the wall would
/// show on an idle machine with two cores.
void tell(const char* what, const Taken& taken, double limit = 0) {
  fmt::print("{:40} {:8.1f} ms, {:8.1f} ms of processors", what, taken.wall * 1e3, taken.cpu * 1e3);
  if (limit > 0) {
    fmt::print(", limit {} ms{}", limit, taken.wall * 1e3 > limit ? ": missed" : "");
  }
  fmt::print("\n");
}

std::string text_at(const OcrResult& result, const Rect& box) {
  std::string out;
  for (const OcrWord& word : result.words) {
    const Rect& at = word.bbox;
    if (box.contains(at.x + at.width / 2, at.y + at.height / 2)) out += word.text;
  }
  return out;
}

/// Engines and networks are loaded by `other` first.
void time_it(Bench& bench, const Picture& screen, const Picture& other) {
  Taken taken;
  const Image region = cut(screen.image, 640, 200);
  fmt::print("\n{}\n", screen.name);
  (void)bench.open(3);
  (void)bench.read(region, taken);
  tell("640x200, the engines not loaded yet", taken);
  (void)bench.open(3);
  (void)bench.read(other.image, taken);
  (void)bench.read(region, taken);
  tell("640x200, cold", taken, 150);
  const auto all = bench.read(screen.image, taken);
  tell("full HD, cold", taken, 2500);
  (void)bench.read(screen.image, taken);
  (void)bench.read(screen.image, taken);
  tell("full HD, unchanged", taken, 1);
  const auto changed = with_a_change(screen, *all);
  if (!changed) return;
  const auto read = bench.read(changed->image, taken);
  tell("full HD, one word changed", taken, 60);
  fmt::print("  read as '{}', is '{}'\n", text_at(*read, changed->box), changed->text);
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
  for (const std::string_view theme : {"-light-", "-dark-", "-busy-"}) {
    const auto screen = std::find_if(pictures.begin(), pictures.end(), [&](const Picture& p) {
      return p.image.width >= 1920 && p.name.find(theme) != std::string::npos;
    });
    if (screen == pictures.end() || pictures.size() < 2) continue;
    time_it(bench, *screen, screen == pictures.begin() ? pictures.back() : pictures.front());
  }
  fmt::print("{:40} {:>8}\n", "resident at the most", status("VmHWM"));
  return 0;
}
