// SPDX-License-Identifier: Apache-2.0
#pragma once

// permessage-deflate (RFC 7692): the handshake's parameters and the two codecs over zlib.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct z_stream_s;

namespace gantry::transport {

/// What was agreed upon. Without context takeover no state outlives a message, which is what keeps
/// an idle socket small; it is the default and a listener may allow takeover.
struct DeflateParams {
  bool server_takeover = false;
  bool client_takeover = false;
  uint8_t server_window_bits = 15;
};

struct DeflatePolicy {
  bool enabled = true;
  bool context_takeover = false;
  int level = 1;           ///< zlib level of what we send
  size_t min_bytes = 512;  ///< shorter messages go out uncompressed
};

struct DeflateAgreement {
  DeflateParams params;
  std::string response;  ///< value of the Sec-WebSocket-Extensions answer
};

/// Chooses the first acceptable permessage-deflate offer of `offers` (the field's value). nullopt:
/// none was acceptable, the connection goes on uncompressed (RFC 7692 section 5.1).
std::optional<DeflateAgreement> negotiate_deflate(std::string_view offers,
                                                  const DeflatePolicy& policy);

/// Inflates messages. A dictionary (the last window) carries a peer's context from one message to
/// the next without keeping the 40 KB codec. One thread.
class Inflater {
 public:
  enum class State : uint8_t { kOk, kCorrupt, kTooLarge };

  Inflater();
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  void begin(std::string_view dictionary);
  /// Appends to `out`, which never grows beyond `limit` bytes.
  State feed(std::string_view input, std::string& out, size_t limit);
  /// The message is complete: adds the flush marker that the sender took away (RFC 7692 7.2.2).
  State finish(std::string& out, size_t limit);
  /// The window to pass to begin() for the next message of the same sender.
  std::string dictionary();

 private:
  std::unique_ptr<z_stream_s> stream_;
};

/// Inflaters of one loop, lent for the time of one message. One thread.
class InflaterPool {
 public:
  std::unique_ptr<Inflater> take();
  void give_back(std::unique_ptr<Inflater> inflater);

 private:
  std::vector<std::unique_ptr<Inflater>> free_;
};

/// Compresses one message; the result has no flush marker at its end. `dictionary` is the sender's
/// context: read, and replaced by the new one, when context takeover was agreed on; else null.
/// Uses one codec per calling thread and window size.
std::string deflate_message(std::string_view message, int level, uint8_t window_bits,
                            std::string* dictionary);

}  // namespace gantry::transport
