// Tests of the text of inputs that may reach a terminal.
#include "shared_policies/text/printable_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace equipoise::printable_text_test {
namespace {

TEST(Utf8, IsWellFormedInOneToFourBytes) {
  for (const char* text : {"", "plain", "caf\xC3\xA9", "\xE2\x82\xAC", "\xED\x9F\xBF",
                           "\xEF\xBF\xBF", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF", "a\tb\x7F"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
  EXPECT_TRUE(is_utf8(std::string(1, '\0')));
}

TEST(Utf8, IsNotLatin1NorCutShortNorOverlongNorASurrogateNorAboveTheHighest) {
  for (const char* text :
       {"caf\xE9-i", "\xE9", "\x80", "\xC3", "\xE2\x82", "\xF0\x9F\x98", "\xC0\xAF", "\xC1\xBF",
        "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
        "\xFF", "a\xC3(b"}) {
    EXPECT_FALSE(is_utf8(text)) << printable(text);
  }
}

TEST(Printable, LeavesWhatATerminalShows) {
  EXPECT_EQ(printable("cuda0 `caf\xC3\xA9` \\x"), "cuda0 `caf\xC3\xA9` \\x");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, EscapesControlCharactersAndWhatIsNotUtf8) {
  EXPECT_EQ(printable("a\x1B[31mb\n"), "a\\x1b[31mb\\x0a");
  EXPECT_EQ(printable("\x7F\xC2\x9B\xC2\xA0"), "\\x7f\\xc2\\x9b\xC2\xA0");
  EXPECT_EQ(printable("caf\xE9-i"), "caf\\xe9-i");
  EXPECT_EQ(printable(std::string(1, '\0')), "\\x00");
}

TEST(Printable, ShortensWhatIsLongAndCutsNoCharacter) {
  EXPECT_EQ(printable("abcd", 4), "abcd");
  EXPECT_EQ(printable("abcde", 4), "abcd...");
  EXPECT_EQ(printable("ab\xC3\xA9\xC3\xA9z", 4), "ab\xC3\xA9\xC3\xA9...");
  EXPECT_EQ(printable("ab\nc", 4), "ab...");
  EXPECT_EQ(printable(std::string(10000, 'x')), std::string(120, 'x') + "...");
}

}  // namespace
}  // namespace equipoise::printable_text_test
