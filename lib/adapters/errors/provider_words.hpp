// A provider's own words: which of them are shown, and by which its errors are understood.
//
// Providers repeat what they were sent: the key, and texts that the caller chooses. So the output
// of these functions must not tell whether a caller has guessed a part of the key. They are given
// the provider's text and nothing else, neither the key nor a text of the caller's, and let through
// words that are in the program already (known_words.cpp, and the table of causes), the names of
// members of requests and paths of these, short numbers, and signs that stand alone. A key has no
// blank in it, so a text that repeats it has it in one run of characters, which is no known word.
//
// Answers, reasoning, model lists and search results are shown as they come, on purpose: an answer
// is the caller's, and a filter that held text back because it begins like the key would tell the
// same by the frames' boundaries. (A relay ends at the whole key: net/key_search.hpp.)
//
// A run is a stretch of visible ASCII between white space or characters beyond ASCII. Up to two
// punctuation characters at each of its ends are no part of its word; letters count in any case.
// Cost: each byte is read once, each run takes a dozen comparisons; an error takes
// about 0.1 ms. Pure.
#pragma once

#include "domain/rules.hpp"

#include <string>
#include <string_view>

namespace usershell::adapters {

/// In place of what is not shown. Neighbouring marks become one.
inline constexpr std::string_view hidden_mark = "\u2022\u2022\u2022\u2022";

using rules::min_key_for_words;

/// Hides the parts of a text that may not be shown. It keeps runs whose word is known or a number
/// of up to six digits ("0.5", "200,000"), paths of names in requests ("messages.0.content"), bare
/// signs (">", "+"), white space, and characters beyond ASCII that NFKC does not turn into
/// letters or digits of ASCII. It reads the first KiB, up to its last white space. The result is
/// empty when no word is left.
std::string shown_words(std::string_view text);

/// The text in lower case, without runs of sixteen or more characters whose word is not known. The
/// table of causes is matched with it.
std::string readable_words(std::string_view text);

/// Is it in the list or in the table of causes, as it is or with an ending of grammar ("-s", "-ed",
/// "-ing")? `word` is in lower case.
bool is_known_word(std::string_view word);

/// With a mark in place of each backslash and run that follows it, if the run is so long that it
/// may hold a key. Behind an unescaped backslash, the key would decide whether the text is JSON.
std::string without_long_escapes(std::string_view text);

/// Without the last run of characters that are no white space: for a text that was cut off, as a
/// part of a word may be another word.
std::string_view without_last_run(std::string_view text);
/// The first `limit` bytes; when that is not all, without the last run.
std::string_view cut_at_blank(std::string_view text, std::size_t limit);

} // namespace usershell::adapters
