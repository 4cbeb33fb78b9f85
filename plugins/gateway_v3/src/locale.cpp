// SPDX-License-Identifier: Apache-2.0
#include "locale.hpp"

#include <optional>

namespace gantry::gateway {
namespace {

/// * stands for a name, which stays as it is.
struct Phrase {
  std::string_view english;
  std::string_view vietnamese;
  std::string_view chinese;
};

constexpr Phrase kPhrases[] = {
    {"first request must be 'connect'", "yêu cầu đầu tiên phải là 'connect'",
     "第一个请求必须是 'connect'"},
    {"permission denied: valid token or active pairing required",
     "không có quyền: cần token hợp lệ hoặc thiết bị đã ghép đôi",
     "没有权限：需要有效的令牌或已配对的设备"},
    {"permission denied: session", "không có quyền: phiên này", "没有权限：此会话"},
    {"permission denied: cron job", "không có quyền: công việc định kỳ này",
     "没有权限：此定时任务"},
    {"permission denied: * requires * role", "không có quyền: * cần vai trò *",
     "没有权限：* 需要 * 角色"},
    {"permission denied: * requires scope *", "không có quyền: * cần phạm vi *",
     "没有权限：* 需要范围 *"},
    {"unknown method: *", "phương thức không tồn tại: *", "未知方法：*"},
    {"invalid JSON", "JSON không hợp lệ", "JSON 无效"},
    {"rate limit exceeded — please wait", "quá nhiều yêu cầu — vui lòng chờ",
     "请求过于频繁，请稍候"},
    {"rate limited", "quá nhiều yêu cầu", "请求过于频繁"},
    {"too many failed attempts; wait a minute", "sai quá nhiều lần; hãy chờ một phút",
     "失败次数过多，请等一分钟"},
    {"user context required", "cần có người dùng", "需要用户身份"},
    {"agent not found: *", "không tìm thấy agent: *", "未找到代理：*"},
    {"session not found: *", "không tìm thấy phiên: *", "未找到会话：*"},
    {"channel not found: *", "không tìm thấy kênh: *", "未找到频道：*"},
    {"approval not found: *", "không tìm thấy yêu cầu phê duyệt: *", "未找到审批：*"},
    {"pairing code * not found or expired", "mã ghép đôi * không tồn tại hoặc đã hết hạn",
     "配对码 * 不存在或已过期"},
    {"paired device not found: *", "không tìm thấy thiết bị đã ghép đôi: *",
     "未找到已配对的设备：*"},
    {"config has changed (hash mismatch)", "cấu hình đã thay đổi (hash không khớp)",
     "配置已更改（哈希不匹配）"},
    {"invalid sender_id format", "sender_id không đúng định dạng", "sender_id 格式无效"},
    {"sessionKey is too long", "sessionKey quá dài", "sessionKey 过长"},
    {"* is required", "thiếu *", "缺少 *"},
};

struct Names {
  std::string_view first;
  std::string_view second;
};

/// The names in `message`, if it is this phrase.
std::optional<Names> names_in(std::string_view message, std::string_view phrase) {
  Names out;
  const std::size_t star = phrase.find('*');
  if (star == std::string_view::npos) {
    return message == phrase ? std::optional<Names>(out) : std::nullopt;
  }
  if (!message.starts_with(phrase.substr(0, star))) return std::nullopt;
  message.remove_prefix(star);
  phrase.remove_prefix(star + 1);
  const std::size_t second = phrase.find('*');
  const std::string_view between = phrase.substr(0, second);
  const std::size_t at = between.empty() ? message.size() : message.find(between);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  out.first = message.substr(0, at);
  message.remove_prefix(at + between.size());
  if (second == std::string_view::npos) {
    return message.empty() ? std::optional<Names>(out) : std::nullopt;
  }
  const std::string_view after = phrase.substr(second + 1);
  if (!message.ends_with(after) || message.size() == after.size()) return std::nullopt;
  out.second = message.substr(0, message.size() - after.size());
  return out;
}

std::string filled(std::string_view phrase, const Names& names) {
  std::string out;
  const std::string_view* next = &names.first;
  for (const char c : phrase) {
    if (c != '*') {
      out += c;
      continue;
    }
    out += *next;
    next = &names.second;
  }
  return out;
}

}  // namespace

Locale locale_of(std::string_view name) {
  if (name.starts_with("vi")) return Locale::Vietnamese;
  return name.starts_with("zh") ? Locale::Chinese : Locale::English;
}

std::string localised(std::string message, Locale locale) {
  if (locale == Locale::English) return message;
  for (const Phrase& phrase : kPhrases) {
    const auto names = names_in(message, phrase.english);
    if (!names) continue;
    return filled(locale == Locale::Vietnamese ? phrase.vietnamese : phrase.chinese, *names);
  }
  return message;
}

}  // namespace gantry::gateway
