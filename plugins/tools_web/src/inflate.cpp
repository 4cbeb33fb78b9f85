// SPDX-License-Identifier: Apache-2.0
#include "inflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "text_flow.hpp"

namespace gantry::web {
namespace {

constexpr int kGzipOrZlib = 15 + 32;
constexpr int kRaw = -15;

/// Ends its zlib state however the work ends.
class Inflater {
 public:
  explicit Inflater(int window) : good_(inflateInit2(&stream_, window) == Z_OK) {}
  ~Inflater() {
    if (good_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  Result<Decoded> run(std::string& body, std::size_t limit) {
    Decoded out;
    if (!good_) return Error{Code::ResourceExhausted, "no memory to unpack the answer", {}};
    stream_.next_in = reinterpret_cast<Bytef*>(body.data());
    stream_.avail_in = static_cast<uInt>(body.size());
    std::array<char, 32 * 1024> piece{};
    while (true) {
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = static_cast<uInt>(piece.size());
      const int state = inflate(&stream_, Z_NO_FLUSH);
      const std::size_t made = piece.size() - stream_.avail_out;
      const std::size_t room = limit - out.bytes.size();
      out.bytes.append(piece.data(), std::min(made, room));
      out.cut = made > room;
      if (out.cut || state == Z_STREAM_END) return out;
      if (state == Z_BUF_ERROR || (state == Z_OK && made == 0 && stream_.avail_in == 0)) {
        out.cut = true;  // the body ended early
        return out;
      }
      if (state != Z_OK) return Error{Code::DataLoss, "the answer is packed wrongly", {}};
    }
  }

 private:
  z_stream stream_{};
  bool good_;
};

}  // namespace

Result<Decoded> decode_body(std::string_view coding, std::string body, std::size_t limit) {
  const std::string name = ascii_lower(coding);
  if (name.empty() || name == "identity") {
    const bool cut = body.size() > limit;
    if (cut) body.resize(limit);
    return Decoded{std::move(body), cut};
  }
  if (name == "gzip" || name == "x-gzip") return Inflater(kGzipOrZlib).run(body, limit);
  if (name == "deflate") {
    // RFC 9110 means zlib's format; servers that send bare deflate are older than it.
    const auto wrapped = Inflater(kGzipOrZlib).run(body, limit);
    return wrapped.ok() ? wrapped : Inflater(kRaw).run(body, limit);
  }
  return failed_precondition("the answer is packed as '" + name + "', which was not asked for");
}

}  // namespace gantry::web
