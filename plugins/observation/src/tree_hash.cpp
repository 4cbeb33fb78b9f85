// SPDX-License-Identifier: Apache-2.0
#include <openssl/evp.h>

#include <array>
#include <charconv>
#include <span>

#include "text.hpp"
#include "tree.hpp"

namespace gantry::observation {
namespace {

void append_field(std::string& out, std::string_view field) {
  out.append(field);
  out.push_back('\0');
}

template <class Integer>
void append_integer(std::string& out, Integer value, char end) {
  std::array<char, 24> digits{};
  out.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
  out.push_back(end);
}

void append_node(std::string& out, const Node& node) {
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
  std::string bytes;
  append_node(bytes, root);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, sha1(), nullptr);
  std::string text = "sha1:";
  append_hex(text, std::span(digest).first(length));
  return text;
}

}  // namespace gantry::observation
