// Golden request cases: what a request is answered, in text files that read like a conversation.
// The format is told in README.md of this folder; here it becomes plain values.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace usershell::test {

/// A case that can't be read, or does not hold; what() begins with "FILE:LINE: ".
class CaseFailure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// One line of a case file, for messages.
struct Place {
    std::string file;
    int line = 0;
};
[[noreturn]] void fail(const Place& place, const std::string& message);

struct TokenRule {
    std::string spot;  ///< header, header2, json, form, query; none; empty: the usual one
    std::string value; ///< empty: the person's own
};

struct Sending {
    Place place;
    std::string method;
    std::string target;
    std::vector<std::pair<std::string, std::string>> headers;
    std::vector<std::string> without; ///< headers left out
    TokenRule token;
    std::string from; ///< client address; empty: the case's own
    std::string body;
};

struct Saving {
    Place place;
    std::string variable;
    std::string source; ///< json, token or cookie
    std::string what;   ///< path or cookie name
};

struct Text {
    Place place;
    std::string text;
};

struct Expecting {
    Place place;
    int status = 0;
    std::string words; ///< what follows the status
    std::vector<Text> headers;
    std::vector<Text> absent;
    std::optional<Text> json;
    std::vector<Text> contains;
    std::vector<Text> lacks;
    bool empty = false;
    std::vector<Saving> savings;
};

struct Table {
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
};

struct Exchange {
    std::optional<Table> table;
    Sending send;
    Expecting expect;
};

struct Command {
    Place place;
    std::string verb;
    std::string rest;
};

struct Case {
    Place place;
    std::string title;
    std::vector<std::variant<Command, Exchange>> steps;
};

struct CaseFile {
    std::vector<std::string> settings; ///< name=value
    std::vector<Case> cases;
};

/// Throws CaseFailure for a line that means nothing, a case without a request and a file without a
/// case.
CaseFile parse_case_file(const std::string& name, std::string_view text);

} // namespace usershell::test
