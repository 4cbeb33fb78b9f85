// SPDX-License-Identifier: Apache-2.0
// Sentences of a text that comes in pieces, and how they are said.
#include <catch2/catch.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "gantry/voice/sentences.hpp"
#include "gantry/voice/speakable.hpp"

namespace gantry::voice::test {
namespace {

using List = std::vector<std::string>;

List in_pieces(std::string_view text, std::size_t piece, bool plain = false) {
  Sentences sentences(plain);
  List out;
  const auto keep = [&out](List made) { out.insert(out.end(), made.begin(), made.end()); };
  for (std::size_t at = 0; at < text.size(); at += piece) {
    keep(sentences.feed(text.substr(at, piece)));
  }
  keep(sentences.flush());
  return out;
}

struct Row {
  const char* name;
  std::string_view text;
  List sentences;
};

const Row kRows[] = {
    {"two sentences", "One thing. Another thing.", {"One thing.", "Another thing."}},
    {"question and exclamation", "Really? Yes! Good.", {"Really?", "Yes!", "Good."}},
    {"a sentence without an end", "Hello there", {"Hello there"}},
    {"nothing", "", {}},
    {"blanks", " \n\t \n", {}},
    {"a title", "Ask Dr. Miller. He knows.", {"Ask Dr. Miller.", "He knows."}},
    {"two titles", "Mr. and Mrs. Smith came.", {"Mr. and Mrs. Smith came."}},
    {"e.g. and i.e.",
     "Fruit, e.g. Apples, i.e. Food. End.",
     {"Fruit, e.g. Apples, i.e. Food.", "End."}},
    {"an initial", "J. R. Tolkien wrote it. I read it.", {"J. R. Tolkien wrote it.", "I read it."}},
    {"a country", "The U.S. Army came.", {"The U.S. Army came."}},
    {"half the day", "Come at 5 p.m. Bring cake.", {"Come at 5 p.m.", "Bring cake."}},
    {"etc. in the middle",
     "Pens, paper etc. are here. Done.",
     {"Pens, paper etc. are here.", "Done."}},
    {"etc. at the end", "Pens, paper etc. All is here.", {"Pens, paper etc.", "All is here."}},
    {"versus", "Cats vs. Dogs is a film.", {"Cats vs. Dogs is a film."}},
    {"a figure", "See fig. 3 and no. 7. Then go.", {"See fig. 3 and no. 7.", "Then go."}},
    {"a decimal", "Pi is 3.14 or so. Fine.", {"Pi is 3.14 or so.", "Fine."}},
    {"a version", "Version 1.2.3 is out. Try it.", {"Version 1.2.3 is out.", "Try it."}},
    {"a price", "It costs $5.00. Buy it.", {"It costs $5.00.", "Buy it."}},
    {"a year at the end", "It was 1984. Then it rained.", {"It was 1984.", "Then it rained."}},
    {"a file name", "Open main.cpp now. Save it.", {"Open main.cpp now.", "Save it."}},
    {"an ellipsis within", "Well... maybe not. No.", {"Well... maybe not.", "No."}},
    {"an ellipsis at the end", "Wait... Now go.", {"Wait...", "Now go."}},
    {"one sign for an ellipsis", "Wait… Now go.", {"Wait...", "Now go."}},
    {"several marks", "What?! No way!!! Yes.", {"What?!", "No way!!!", "Yes."}},
    {"a quoted sentence",
     "He said \"Stop.\" Then he left.",
     {"He said \"Stop.\"", "Then he left."}},
    {"a quoted question",
     "\"Really?\" he asked. I nodded.",
     {"\"Really?\" he asked.", "I nodded."}},
    {"curly quotes", "“Go.” She went.", {"\"Go.\"", "She went."}},
    {"in brackets", "(It works.) Good.", {"(It works.)", "Good."}},
    {"a bold sentence", "**It works.** Good.", {"It works.", "Good."}},
    {"an open bold", "**It works. And goes on", {"It works.", "And goes on"}},
    {"an open code mark",
     "Run `make all and wait. Then go.",
     {"Run make all and wait.", "Then go."}},
    {"an open link", "See [the page. It helps", {"See the page.", "It helps"}},
    {"a link across sentences",
     "See [one. Two](http://x.org/a). Three.",
     {"See one.", "Two.", "Three."}},
    {"a link",
     "See [the manual](https://example.com/a?b=c.d). Good.",
     {"See the manual.", "Good."}},
    {"a link with brackets", "See [it](http://x.org/a_(b)). Good.", {"See it.", "Good."}},
    {"a picture", "![a cat](cat.png) is here.", {"a cat is here."}},
    {"a bare address",
     "Go to https://www.example.com/path?q=1. Then come.",
     {"Go to example.com.", "Then come."}},
    {"an address in brackets", "Go (see http://example.com/x).", {"Go (see example.com)."}},
    {"an address in angles", "Go to <https://example.com/x>.", {"Go to example.com."}},
    {"a user in an address",
     "Go to http://me:secret@example.com/x now.",
     {"Go to example.com now."}},
    {"a heading", "# The title\nText follows.", {"The title", "Text follows."}},
    {"a heading with marks", "## **Bold** title ##\nText.", {"Bold title", "Text."}},
    {"no heading", "#5 is alive.", {"#5 is alive."}},
    {"a list", "- one\n- two\n* three\n+ four\n", {"one", "two", "three", "four"}},
    {"a numbered list", "1. First\n2. Second\n10) Tenth", {"1, First", "2, Second", "10, Tenth"}},
    {"an item with a soft break", "- one\n  goes on\n- two", {"one goes on", "two"}},
    {"tasks", "- [ ] open\n- [x] done", {"open", "done"}},
    {"a nested list", "- one\n  - inner\n- two", {"one", "inner", "two"}},
    {"text before a list", "Needed:\n- milk\n- bread", {"Needed:", "milk", "bread"}},
    {"a quote", "> Said once.\n> Said twice.", {"Said once.", "Said twice."}},
    {"a soft break", "One line\nand another.", {"One line and another."}},
    {"paragraphs without stops", "One\n\nTwo", {"One", "Two"}},
    {"windows line ends", "One\r\n\r\nTwo.\r\nThree.", {"One", "Two.", "Three."}},
    {"a rule", "One\n\n---\n\nTwo", {"One", "Two"}},
    {"an underlined title", "Title\n=====\nText", {"Title", "Text"}},
    {"a code block", "Do this:\n```sh\nrm -rf x. Y.\n```\nDone.", {"Do this:", "Done."}},
    {"a code block of tildes", "A.\n~~~\ncode\n~~~~\nB.", {"A.", "B."}},
    {"a longer fence", "A.\n````\n```\ncode\n````\nB.", {"A.", "B."}},
    {"a code block that is not closed", "A.\n```\ncode\nmore. Code.", {"A."}},
    {"a code block with a comment", "A.\n```\n# not a heading\n- none\n```\nB.", {"A.", "B."}},
    {"inline code", "Call `foo_bar()` now.", {"Call foo bar() now."}},
    {"a table", "| Name | Age |\n|---|---|\n| Ann | 5 |\nEnd.", {"Name, Age,", "Ann, 5,", "End."}},
    {"emphasis",
     "This is *very* __important__ and ~~wrong~~.",
     {"This is very important and wrong."}},
    {"snake case", "Set max_text_size now.", {"Set max text size now."}},
    {"a product", "2*3 is 6.", {"2 times 3 is 6."}},
    {"pictograms", "Done ✅ 🎉! Next 👩‍🚀.", {"Done!", "Next."}},
    {"only pictograms", "🎉🎉. 🎉", {}},
    {"flags and keycaps", "Go 🇩🇪 1️⃣ now.", {"Go 1 now."}},
    {"signs as words", "A → B & C ≥ 5.", {"A to B and C at least 5."}},
    {"a range", "Pages 3–5 — all of them.", {"Pages 3 to 5, all of them."}},
    {"entities", "Tom &amp; Jerry&nbsp;run. &lt;3", {"Tom and Jerry run.", "less than 3"}},
    {"tags", "One<br/>two <b>three</b>.", {"One two three."}},
    {"comparisons", "a < b and c > d.", {"a less than b and c greater than d."}},
    {"control characters", "A\x01\x1b[31m b\x7f.", {"A31m b."}},
    {"control characters in an address", "Go to http://a.b\x0e\x1b now.", {"Go to a.b now."}},
    {"hidden characters", "Zero\u200bwidth\u202e and \ufeffmark.", {"Zerowidth and mark."}},
    {"a key",
     "Key: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.",
     {"Key:"}},
    {"accents", "Café in Köln. Ärger? Óh!", {"Café in Köln.", "Ärger?", "Óh!"}},
    {"cyrillic", "Привет. Как дела?", {"Привет.", "Как дела?"}},
    {"chinese", "你好。再见！好吗？", {"你好。", "再见！", "好吗？"}},
    {"japanese quote", "「はい。」と言った。", {"「はい。」", "と言った。"}},
    {"footnote", "It is so[^1]. Yes.", {"It is so.", "Yes."}},
    {"escapes", "Not \\*bold\\*.", {"Not bold."}},
};

}  // namespace

TEST_CASE("a text becomes sentences, however it is cut") {
  for (const Row& row : kRows) {
    for (const std::size_t piece : {1U, 2U, 3U, 7U, 1000U}) {
      INFO(row.name << ", in pieces of " << piece);
      CHECK(in_pieces(row.text, piece) == row.sentences);
    }
  }
}

TEST_CASE("a sentence comes as soon as the next one begins") {
  Sentences sentences;
  CHECK(sentences.feed("Hello there.").empty());
  CHECK(sentences.feed(" ").empty());
  CHECK(sentences.feed("N") == List{"Hello there."});
  CHECK(sentences.feed("ext one\n").empty());
  CHECK(sentences.feed("\n") == List{"Next one"});
}

TEST_CASE("a plain text is not Markdown") {
  CHECK(in_pieces("# No *title* here. Next.\n\nEnd", 4, true) ==
        List{"# No *title* here.", "Next.", "End"});
}

TEST_CASE("a sentence that does not end is cut at a comma or a blank") {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "word" + std::to_string(i) + (i % 10 == 9 ? ", " : " ");
  const List whole = in_pieces(text, 5000);
  CHECK(whole == in_pieces(text, 1));
  CHECK(whole.size() > 3);
  std::string joined;
  for (const std::string& sentence : whole) {
    CHECK(sentence.size() <= Sentences::kLongest);
    CHECK((sentence.back() == ',' || &sentence == &whole.back()));
    joined += (joined.empty() ? "" : " ") + sentence;
  }
  while (text.back() == ' ') text.pop_back();
  CHECK(joined == text);
}

TEST_CASE("what is no UTF-8 is left out, and a character may be cut") {
  CHECK(in_pieces("A \xff\xfe\x80 b. \xc3", 1) == List{"A b."});
  CHECK(in_pieces("\xed\xa0\x80 surrogate.", 1) == List{"surrogate."});
}

TEST_CASE("after a flush a new text begins") {
  Sentences sentences;
  (void)sentences.feed("```\nopen block");
  CHECK(sentences.flush().empty());
  CHECK(sentences.feed("Text. Next") == List{"Text."});
}

TEST_CASE("letters lose their accents for engines that know no more") {
  CHECK(ascii_only("a\x01\x7f\nb") == "a   b");
  CHECK(ascii_only("Café Straße Łódź Æon ™ 你") == "Cafe Strasse Lodz Aeon    ");
}

}  // namespace gantry::voice::test
