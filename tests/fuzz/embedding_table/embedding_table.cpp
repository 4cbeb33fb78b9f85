// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a table of word vectors, with their checksum and size as they are and put right, so
// that what stands behind them is reached.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "lsa_embedder.hpp"
#include "table.hpp"

namespace {

void use(const std::string& bytes) {
  const auto table = gantry::embed_local::Table::of(bytes);
  if (!table.ok()) return;
  for (const std::string_view word : {"", "a", "cat", "turn_off"}) (void)table->find(word);
  const auto vector = gantry::embed_local::lsa_embedding(*table, "cats turned off, a mouse");
  if (vector.size() != table->dimensions() + gantry::embed_local::kSpellingDimensions) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  use(bytes);
  if (size < gantry::embed_local::kHeaderBytes) return 0;
  gantry::embed_local::TableHeader header{};
  std::memcpy(&header, bytes.data(), sizeof(header));
  header.size = bytes.size();
  std::memcpy(bytes.data(), &header, sizeof(header));
  header.checksum = gantry::embed_local::table_checksum(bytes);
  std::memcpy(bytes.data(), &header, sizeof(header));
  use(bytes);
  return 0;
}
