// SPDX-License-Identifier: Apache-2.0
#include "turn_input.hpp"

#include <gantry/attached_text.hpp>
#include <gantry/contracts/artifact.hpp>
#include <gantry/contracts/document.hpp>
#include <gantry/picture/gif_png.hpp>
#include <gantry/tools/text.hpp>

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace gantry::chat_cortask {
namespace {

constexpr std::int64_t kLargestReference = 50 * 1024;
constexpr std::size_t kLargestText = 512 * 1024;  // of an attachment that is text

std::string named(const Attachment& attachment, std::size_t number) {
  return attachment.name.empty() ? fmt::format("attachment {}", number) : attachment.name;
}

std::string_view as_text(const std::vector<std::uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Whether it can be read as text: UTF-8 without zero bytes.
bool is_text(std::string_view bytes) {
  std::size_t replaced = 0;
  (void)tools::repaired_utf8(bytes, &replaced);
  return replaced == 0 && bytes.find('\0') == std::string_view::npos;
}

/// One message on its way to the engine.
class Gathering : public std::enable_shared_from_this<Gathering> {
 public:
  Gathering(Host& host, std::string principal, std::string workspace, const ChatMessage& message,
            std::function<void(Result<TurnInput>)> done)
      : host_(host),
        principal_(std::move(principal)),
        workspace_(std::move(workspace)),
        references_(message.file_references),
        attachments_(message.attachments),
        done_(std::move(done)) {
    input_.text = message.text;
  }

  void start() {
    if (references_.empty()) return next_attachment();
    WorkspaceReferencesRequest request{principal_, workspace_, references_, kLargestReference};
    host_.bus().call<WorkspaceReferences>(
        std::move(request),
        [self = shared_from_this()](const Result<Ref<WorkspaceReferenceTexts>>& read) {
          if (!read.ok()) return self->done_(read.error());
          for (const WorkspaceReference& reference : (*read)->references) {
            ContentBlock block;
            block.kind = ContentKind::Text;
            block.text = reference_text(reference);
            if (!block.text.empty()) self->input_.content.push_back(std::move(block));
          }
          self->next_attachment();
        });
  }

 private:
  void next_attachment() {
    if (next_ == attachments_.size()) return done_(std::move(input_));
    const Attachment& attachment = attachments_[next_++];
    const std::string_view bytes = as_text(attachment.bytes);
    const std::string_view type = sniffed_type(bytes);
    const std::string name = named(attachment, next_);
    if (type == "image/gif") return keep_first_frame(attachment, name);
    if (type.starts_with("image/")) {
      return keep_picture(Buffer::copy(std::span<const std::uint8_t>(attachment.bytes)), name);
    }
    if (type == "application/pdf") return read_document(attachment, name);
    if (type.empty() && bytes.size() <= kLargestText && is_text(bytes)) {
      input_.content.push_back(attached_text(name, bytes));
      return next_attachment();
    }
    done_(
        invalid_argument(fmt::format("The attachment '{}' cannot be read: pictures (PNG, JPEG, "
                                     "WebP, GIF), PDFs and texts of up to {} KiB can",
                                     name, kLargestText / 1024)));
  }

  void read_document(const Attachment& attachment, const std::string& name) {
    DocumentTextRequest request;
    request.content = Buffer::copy(std::span<const std::uint8_t>(attachment.bytes));
    request.max_bytes = kLargestText;
    host_.bus().call<DocumentText>(
        std::move(request),
        [self = shared_from_this(), name](const Result<Ref<DocumentTextAnswer>>& read) {
          if (!read.ok()) {
            return self->done_(read.error().with_context("The attachment '" + name + "'"));
          }
          self->input_.content.push_back(attached_text(name, (*read)->text, (*read)->truncated));
          self->next_attachment();
        });
  }

  /// Models take no GIF.
  void keep_first_frame(const Attachment& attachment, const std::string& name) {
    const auto self = shared_from_this();
    host_.blocking([self, &attachment, name] {
      auto png = std::make_shared<Result<std::vector<std::uint8_t>>>(
          picture::gif_as_png(attachment.bytes));
      self->host_.post([self, png, name] {
        if (!png->ok()) {
          return self->done_(png->error().with_context("The attachment '" + name + "'"));
        }
        self->keep_picture(Buffer::of(std::move(**png)), name);
      });
    });
  }

  void keep_picture(Buffer content, const std::string& name) {
    ArtifactPutRequest put;
    put.owner = principal_;
    put.content = std::move(content);
    put.filename = name;
    const auto self = shared_from_this();
    host_.bus().call<ArtifactPut>(
        std::move(put), [self, name](const Result<Ref<ArtifactInfo>>& kept) {
          if (!kept.ok()) {
            return self->done_(kept.error().with_context("The attachment '" + name + "'"));
          }
          self->input_.artifacts.push_back((*kept)->artifact_id);
          self->next_attachment();
        });
  }

  Host& host_;
  const std::string principal_;
  const std::string workspace_;
  const std::vector<std::string> references_;
  const std::vector<Attachment> attachments_;
  std::function<void(Result<TurnInput>)> done_;
  TurnInput input_;
  std::size_t next_ = 0;
};

}  // namespace

std::string_view sniffed_type(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  if (bytes.starts_with("\xFF\xD8\xFF")) return "image/jpeg";
  if (bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a")) return "image/gif";
  if (bytes.size() >= 12 && bytes.starts_with("RIFF") && bytes.substr(8, 4) == "WEBP") {
    return "image/webp";
  }
  if (bytes.starts_with("%PDF-")) return "application/pdf";
  return {};
}

std::string reference_text(const WorkspaceReference& reference) {
  const std::string head = "[File: " + reference.path + "]\n";
  switch (reference.outcome) {
    case ReferenceOutcome::Text: return head + fenced_text(reference.text);
    case ReferenceOutcome::Outside: return {};
    case ReferenceOutcome::TooLarge: return head + "(Skipped — file exceeds 50KB limit)";
    case ReferenceOutcome::Missing: break;
  }
  return head + "(File not found or unreadable)";
}

void gather_input(Host& host, const std::string& principal, const std::string& workspace,
                  const ChatMessage& message, std::function<void(Result<TurnInput>)> done) {
  if (message.file_references.empty() && message.attachments.empty()) {
    TurnInput input;
    input.text = message.text;
    return done(std::move(input));
  }
  std::make_shared<Gathering>(host, principal, workspace, message, std::move(done))->start();
}

}  // namespace gantry::chat_cortask
