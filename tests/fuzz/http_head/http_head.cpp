// SPDX-License-Identifier: Apache-2.0
//
// Whatever a client may send before a handler sees it: the head, its policies, the route, the
// handshake and the chunked body. Beside memory errors it looks for two contradictions: a verdict
// that depends on how the bytes were cut, and an accepted head that two readers could read
// differently.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "chunk_decoder.hpp"
#include "head_parser.hpp"
#include "mounts.hpp"
#include "policy.hpp"
#include "ws_handshake.hpp"

using namespace gantry::transport;

namespace {

void require(bool fine) {
  if (!fine) std::abort();
}

std::shared_ptr<const MountTable> make_table() {
  std::shared_ptr<const MountTable> table;
  for (const char* path : {"/", "/a/{x}", "/a/b", "/a/*", "/ws"}) {
    auto mount = std::make_shared<Mount>();
    mount->listener = "main";
    mount->path = path;
    mount->kind = std::string_view(path) == "/ws" ? MountKind::kWebSocket : MountKind::kRequest;
    table = std::get<std::shared_ptr<const MountTable>>(MountTable::with(table, std::move(mount)));
  }
  return table;
}

HeadScan scan_in_pieces(std::string_view input, size_t step, const Limits& limits) {
  HeadScan scan;
  size_t from = 0;
  for (size_t end = 0; end < input.size() && scan.state == HeadScan::State::kIncomplete;) {
    end = std::min(end + step, input.size());
    scan = scan_head(input.substr(0, end), from, limits);
    from = end;
  }
  return scan;
}

void check_accepted(const RequestHead& head, std::string_view text) {
  // Smuggling needs one of these; none may survive.
  require(head.count("Host") == 1 || head.minor_version == 0);
  require(head.count("Content-Length") + head.count("Transfer-Encoding") <= 1);
  require((head.body == BodyKind::kChunked) == (head.count("Transfer-Encoding") == 1));
  require(text.find('\0') == std::string_view::npos);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') require(i > 0 && text[i - 1] == '\r');
    if (text[i] == '\r') require(i + 1 < text.size() && text[i + 1] == '\n');
  }
  require(is_served_method(head.method));
  require(head.path == "*" || head.path.front() == '/');
}

void use(const RequestHead& head) {
  static const auto table = make_table();
  const PeerInfo peer;
  AccessPolicy policy;
  policy.allowed_hosts = {"a"};
  (void)check_host(head, peer, policy);
  (void)check_origin(head, peer, policy);
  (void)check_json_post(head);
  (void)bearer_token(head);
  (void)table->find("main", head, head.upgrade_websocket);
  DeflatePolicy deflate;
  deflate.context_takeover = true;
  (void)read_handshake(head, deflate);
  (void)percent_decode(head.query, true);
}

void decode_body(std::string_view input, size_t step) {
  ChunkDecoder whole(1 << 16);
  ChunkDecoder cut(1 << 16);
  std::string whole_body;
  std::string cut_body;
  size_t whole_used = 0;
  const auto whole_end = whole.feed(input, whole_body, whole_used);
  size_t cut_used = 0;
  auto cut_end = ChunkDecoder::State::kMore;
  while (cut_used < input.size() && cut_end == ChunkDecoder::State::kMore) {
    size_t used = 0;
    cut_end = cut.feed(input.substr(cut_used, step), cut_body, used);
    cut_used += used;
  }
  require(whole_end == cut_end && whole_body == cut_body && whole_used == cut_used);
  require(whole_body.size() <= 1 << 16);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const size_t step = 1 + data[0] % 7;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  Limits limits;
  limits.head_bytes = 2048;
  limits.target_bytes = 256;
  limits.header_count = 16;
  const HeadScan scan = scan_head(input, 0, limits);
  const HeadScan pieces = scan_in_pieces(input, step, limits);
  // A refusal may come earlier when the bytes are seen one by one, never an acceptance instead.
  require((scan.state == HeadScan::State::kComplete) ==
          (pieces.state == HeadScan::State::kComplete));
  if (scan.state != HeadScan::State::kComplete) return 0;
  require(scan.end == pieces.end);
  const std::string_view text = input.substr(scan.skip, scan.end - scan.skip);
  const auto parsed = parse_head(text, limits);
  const auto* head = std::get_if<RequestHead>(&parsed);
  if (head == nullptr) return 0;
  check_accepted(*head, text);
  use(*head);
  if (head->body == BodyKind::kChunked) decode_body(input.substr(scan.end), step);
  return 0;
}
