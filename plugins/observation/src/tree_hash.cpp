// SPDX-License-Identifier: Apache-2.0
#include <openssl/evp.h>

#include <array>
#include <concepts>
#include <span>

#include "text.hpp"
#include "text_buffer.hpp"
#include "tree.hpp"

namespace gantry::observation {
namespace {

void append_field(TextBuffer& out, std::string_view field) {
  out.put(field);
  out.put('\0');
}

void append_integer(TextBuffer& out, std::integral auto value, char end) {
  out.put_integer(value);
  out.put(end);
}

void append_node(TextBuffer& out, const Node& node) {
  append_field(out, node.role);
  if (node.hidden) {
    append_field(out, node.hidden->digest);
    append_field(out, {});
  } else {
    append_field(out, node.name);
    append_field(out, node.value ? std::string_view(*node.value) : std::string_view());
  }
  const Rect& box = node.bounds;
  append_integer(out, box.x, ',');
  append_integer(out, box.y, ',');
  append_integer(out, box.width, ',');
  append_integer(out, box.height, '\0');
  append_field(out, node.enabled ? "E" : "D");
  append_integer(out, node.children.size(), '\0');
  for (const Node& child : node.children) append_node(out, child);
}

/// Looked up once: by its name it takes as long as a small tree takes to hash.
const EVP_MD* sha1() {
  static const EVP_MD* const kSha1 = EVP_MD_fetch(nullptr, "SHA1", nullptr);
  return kSha1;
}

}  // namespace

std::string tree_hash(const Node& root) {
  TextBuffer buffer(1024);
  append_node(buffer, root);
  const std::string_view bytes = buffer.view();
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, sha1(), nullptr);
  std::string text = "sha1:";
  append_hex(text, std::span(digest).first(length));
  return text;
}

}  // namespace gantry::observation
