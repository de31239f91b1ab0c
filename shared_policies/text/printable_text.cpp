// Decodes UTF-8 one character at a time, and escapes what a terminal, XML or HTML would interpret.
#include "shared_policies/text/printable_text.hpp"

namespace equipoise {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

/// The length in bytes of the character at `at`; 0 if it is not well-formed UTF-8.
std::size_t length_of_character(std::string_view text, std::size_t at) {
  const unsigned first = byte_at(text, at);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xC2   ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || length > text.size() - at) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, at + i) & 0xC0U) != 0x80) return 0;
  }
  const unsigned second = byte_at(text, at + 1);
  const bool is_overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool is_surrogate = first == 0xED && second > 0x9F;
  const bool is_too_high = first == 0xF4 && second > 0x8F;
  return is_overlong || is_surrogate || is_too_high ? 0 : length;
}

bool is_control(std::string_view character) {
  const unsigned first = byte_at(character, 0);
  return first < 0x20 || first == 0x7F || (first == 0xC2 && byte_at(character, 1) < 0xA0);
}

std::string escaped_bytes(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    text.append("\\x");
    text += digits[byte_at(bytes, i) / 16];
    text += digits[byte_at(bytes, i) % 16];
  }
  return text;
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = length_of_character(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

bool is_printable(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = length_of_character(text, at);
    if (length == 0 || is_control(text.substr(at, length))) return false;
    at += length;
  }
  return true;
}

std::string printable(std::string_view text, std::size_t most) {
  std::string shown;
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = length_of_character(text, at);
    const std::string_view bytes = text.substr(at, length == 0 ? 1 : length);
    const bool is_plain = length != 0 && !is_control(bytes);
    characters += is_plain ? 1 : 4 * bytes.size();
    if (characters > most) return shown + "...";
    shown += is_plain ? std::string(bytes) : escaped_bytes(bytes);
    at += bytes.size();
  }
  return shown;
}

std::string markup_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (static_cast<unsigned char>(c) < 0x20 && c != '\n') {
      out += "&#" + std::to_string(static_cast<int>(c)) + ";";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace equipoise
