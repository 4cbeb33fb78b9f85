// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target over every file of a corpus folder, without libFuzzer: `<target> <folder>`.
// Built into the fuzz targets of ordinary builds, so that inputs that once crashed are tried by
// every test run and under every sanitizer.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  if (argc != 2 || !std::filesystem::is_directory(argv[1])) {
    std::fprintf(stderr, "usage: %s CORPUS_FOLDER (an existing folder)\n", argv[0]);
    return 2;
  }
  std::size_t runs = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[1])) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    // Printed first: if the target aborts, the last line names the culprit.
    std::printf("%s (%zu bytes)\n", entry.path().c_str(), bytes.size());
    std::fflush(stdout);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ++runs;
  }
  std::printf("%zu inputs replayed\n", runs);
  return runs == 0 ? 1 : 0;  // an empty corpus proves nothing
}
