// SPDX-License-Identifier: Apache-2.0
// Scores the detector on the pictures of corpus.py: how many controls and icons it finds, how much
// it finds besides, and how long a full HD picture takes.
//
//   vision_bench FOLDER [--misses | --pages]
//
// --pages writes every page as a picture of its own, for ground_bench.py.
#include <gantry/picture/decode.hpp>
#include <gantry/picture/png.hpp>

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "detector.hpp"

namespace {

using gantry::Image;
using gantry::Rect;

constexpr std::int32_t kWidth = 1280;
constexpr std::int32_t kHeight = 800;
constexpr std::int32_t kPixel = 3;  // bytes
constexpr std::int64_t kMaxPixels = 100'000'000;

struct Truth {
  int page = 0;
  int sheet = 0;
  int row = 0;
  std::string kind;
  std::string name;
  std::string accent;
  Rect box;
};

Image read_png(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  auto decoded =
      gantry::picture::decode({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  if (!decoded.ok()) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), decoded.error().message.c_str());
    std::exit(2);
  }
  return std::move(decoded->image);
}

/// A page as a picture of its own.
Image page_of(const Image& sheet, int row) {
  const auto bytes = static_cast<std::size_t>(kHeight) * static_cast<std::size_t>(sheet.stride);
  const std::uint8_t* from = sheet.pixels.data() + static_cast<std::size_t>(row) * bytes;
  std::vector<std::uint8_t> pixels(from, from + bytes);
  return {kWidth, kHeight, sheet.stride, sheet.format, gantry::Buffer::of(std::move(pixels))};
}

std::vector<Truth> read_truth(const std::string& path) {
  std::vector<Truth> out;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, '\t');) cells.push_back(cell);
    if (cells.size() < 10) continue;
    const auto number = [&](std::size_t i) { return std::atoi(cells[i].c_str()); };
    out.push_back({number(0),
                   number(1),
                   number(2),
                   cells[3],
                   cells[4],
                   cells[5],
                   {number(6), number(7), number(8), number(9)}});
  }
  return out;
}

double overlap(const Rect& a, const Rect& b) {
  const double x = std::max(0, std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x));
  const double y = std::max(0, std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y));
  const double both =
      static_cast<double>(a.width) * a.height + static_cast<double>(b.width) * b.height - x * y;
  return both > 0 ? x * y / both : 0;
}

struct Score {
  int found = 0;
  int named = 0;  // of those, with the right role
  int all = 0;
};

/// What the detector calls a kind of corpus.py.
std::string role_of(const std::string& kind) {
  static const std::map<std::string, std::string> kRoles{
      {"button", "Button"},  {"edit", "Edit"},         {"combo", "ComboBox"},
      {"check", "CheckBox"}, {"radio", "RadioButton"}, {"icon", "Image"}};
  const auto found = kRoles.find(kind);
  return found == kRoles.end() ? std::string() : found->second;
}

struct Set {
  std::map<std::string, Score> kinds;
  int answers = 0;  // controls and icons
  int right = 0;
};

void print(const char* name, const Set& set) {
  Score controls;
  for (const auto& [kind, score] : set.kinds) {
    std::printf("%-8s %-8s %4d of %4d  %5.1f %%, %d with their role\n", name, kind.c_str(),
                score.found, score.all, 100.0 * score.found / std::max(score.all, 1), score.named);
    if (kind == "icon") continue;
    controls.found += score.found;
    controls.all += score.all;
  }
  std::printf("%-8s controls %4d of %4d  %5.1f %%; %d answers, %d of them something known\n", name,
              controls.found, controls.all, 100.0 * controls.found / std::max(controls.all, 1),
              set.answers, set.right);
}

void score(const std::vector<Truth>& truth, const Image& page, int number, bool misses, Set& set) {
  gantry::VisionDetectRequest request;
  request.image = page;
  const auto answer = gantry::vision_cv::detect(request, kMaxPixels);
  if (!answer.ok()) return;
  std::vector<bool> right(answer->elements.size(), false);
  for (const Truth& row : truth) {
    if (row.page != number) continue;
    Score& kind = set.kinds[row.kind];
    ++kind.all;
    double best = 0;
    std::string role;
    for (std::size_t i = 0; i < answer->elements.size(); ++i) {
      const double common = overlap(row.box, answer->elements[i].bbox);
      if (common >= 0.5) right[i] = true;
      if (common <= best) continue;
      best = common;
      role = answer->elements[i].role;
    }
    const bool named = role == role_of(row.kind);
    if (best >= 0.7) {
      ++kind.found;
      kind.named += named ? 1 : 0;
      if (misses && !named) {
        std::printf("page %d: %s %s at %d,%d %dx%d is taken for \"%s\"\n", number, row.kind.c_str(),
                    row.name.c_str(), row.box.x, row.box.y, row.box.width, row.box.height,
                    role.c_str());
      }
    } else if (misses) {
      std::printf("page %d: %s %s at %d,%d %dx%d: best %.2f\n", number, row.kind.c_str(),
                  row.name.c_str(), row.box.x, row.box.y, row.box.width, row.box.height, best);
    }
  }
  for (std::size_t i = 0; i < right.size(); ++i) {
    const auto& element = answer->elements[i];
    if (element.kind == "region" && !right[i]) continue;
    ++set.answers;
    if (right[i]) {
      ++set.right;
    } else if (misses) {
      const Rect& at = element.bbox;
      std::printf("page %d: besides %s %s at %d,%d %dx%d\n", number, element.kind.c_str(),
                  element.role.c_str(), at.x, at.y, at.width, at.height);
    }
  }
}

void write_page(const std::string& folder, const Image& page, int number) {
  const auto png = gantry::picture::encode_png(page);
  if (!png.ok()) return;
  std::ofstream file(folder + "/page-" + std::to_string(number) + ".png", std::ios::binary);
  file.write(reinterpret_cast<const char*>(png->data()), static_cast<std::streamsize>(png->size()));
}

double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// Full HD of the corpus' own pages: one and a half of them beside each other.
Image full_hd(const Image& sheet) {
  constexpr std::int32_t kFullWidth = 1920;
  constexpr std::int32_t kFullHeight = 1080;
  std::vector<std::uint8_t> pixels(std::size_t{kFullWidth} * kFullHeight * 4);
  for (std::int32_t y = 0; y < kFullHeight; ++y) {
    const std::uint8_t* row = sheet.pixels.data() + static_cast<std::ptrdiff_t>(y) * sheet.stride;
    const std::uint8_t* other = row + static_cast<std::ptrdiff_t>(sheet.height / 2) * sheet.stride;
    std::uint8_t* to = pixels.data() + static_cast<std::ptrdiff_t>(y) * kFullWidth * kPixel;
    std::memcpy(to, row, std::size_t{kWidth} * kPixel);
    std::memcpy(to + std::ptrdiff_t{kWidth} * kPixel, other,
                std::size_t{kFullWidth - kWidth} * kPixel);
  }
  return {kFullWidth, kFullHeight, kFullWidth * kPixel, sheet.format,
          gantry::Buffer::of(std::move(pixels))};
}

void time_full_hd(const Image& sheet) {
  gantry::VisionDetectRequest request;
  request.image = full_hd(sheet);
  std::vector<double> wall;
  std::vector<double> cpu;
  for (int i = 0; i < 20; ++i) {
    const double cpu_before = cpu_ms();
    const auto before = std::chrono::steady_clock::now();
    if (!gantry::vision_cv::detect(request, kMaxPixels).ok()) return;
    const std::chrono::duration<double, std::milli> took =
        std::chrono::steady_clock::now() - before;
    wall.push_back(took.count());
    cpu.push_back(cpu_ms() - cpu_before);
  }
  std::sort(wall.begin(), wall.end());
  std::sort(cpu.begin(), cpu.end());
  std::printf("full HD: wall median %.1f ms, least %.1f ms; CPU median %.1f ms\n",
              wall[wall.size() / 2], wall.front(), cpu[cpu.size() / 2]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: vision_bench FOLDER [--misses | --pages]\n");
    return 2;
  }
  const std::string folder = argv[1];
  const bool misses = argc > 2 && std::strcmp(argv[2], "--misses") == 0;
  const bool write = argc > 2 && std::strcmp(argv[2], "--pages") == 0;
  const std::vector<Truth> truth = read_truth(folder + "/truth.tsv");
  std::map<int, Image> sheets;
  std::map<int, std::pair<int, int>> pages;
  for (const Truth& row : truth) pages[row.page] = {row.sheet, row.row};
  Set open;
  Set frozen;
  for (const auto& [number, place] : pages) {
    const auto [sheet, row] = place;
    if (sheets.count(sheet) == 0) {
      sheets[sheet] = read_png(folder + "/sheet-" + std::to_string(sheet) + ".png");
    }
    if (write) write_page(folder, page_of(sheets[sheet], row), number);
    const bool is_open = number % 2 == 0;
    score(truth, page_of(sheets[sheet], row), number, misses && is_open, is_open ? open : frozen);
  }
  print("open", open);
  print("frozen", frozen);
  if (!sheets.empty()) time_full_hd(sheets.begin()->second);
  return 0;
}
