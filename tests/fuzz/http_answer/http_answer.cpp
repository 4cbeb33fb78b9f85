// SPDX-License-Identifier: Apache-2.0
//
// The body of a server's answer. Beside memory errors it looks for a body, an end or a verdict that
// depends on how the bytes were cut, and for bytes that nobody sent. The first byte of an input
// says which form the body has and how it is cut, the rest is what comes.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../../../sdk/http/src/body.hpp"

namespace {

using gantry::http::Body;

void require(bool fine) {
  if (!fine) std::abort();
}

Body body_of(unsigned form) {
  switch (form) {
    case 0: return Body::until_close();
    case 1: return Body::sized(0);
    case 2: return Body::sized(40);
    default: return Body::chunked();
  }
}

/// What is of the body when the bytes come in pieces of `step` bytes.
std::string taken(Body& body, std::string_view bytes, std::size_t step) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    std::string piece(bytes.substr(at, step));
    const bool was_over = body.over();
    const std::size_t kept = body.take(piece.data(), piece.size());
    require(kept <= piece.size());
    require(!was_over || kept == 0);
    out.append(piece, 0, kept);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const unsigned form = data[0] % 8U;
  const std::size_t step = 1 + data[0] / 8U;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  Body whole = body_of(form);
  Body cut = body_of(form);
  const std::string all = taken(whole, bytes, bytes.size());
  require(all == taken(cut, bytes, step));
  require(whole.over() == cut.over() && whole.cut() == cut.cut());
  require(whole.flooded() == cut.flooded() && !(whole.flooded() && whole.leaves_connection()));
  require(whole.leaves_connection() == cut.leaves_connection());
  const bool was_cut = whole.cut();
  const bool was_over = whole.over();
  whole.close();
  cut.close();
  require(whole.over() && whole.cut() == cut.cut());
  require(!was_over || whole.cut() == was_cut);
  return 0;
}
