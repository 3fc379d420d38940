#include "ctl/terminal.hpp"

#include "base/text.hpp"
#include "crypto/token.hpp"
#include "ctl/command.hpp"

#include <algorithm>
#include <iostream>
#include <termios.h>
#include <unistd.h>

namespace usershell::ctl {

namespace {

/// The terminal of standard input doesn't show what is typed, as long as this lives.
class NoEcho {
public:
    NoEcho() {
        if (tcgetattr(STDIN_FILENO, &before_) != 0) return;
        termios silent = before_;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        changed_ = tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0;
    }
    ~NoEcho() {
        if (changed_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
    }
    NoEcho(const NoEcho&) = delete;
    NoEcho& operator=(const NoEcho&) = delete;

private:
    termios before_{};
    bool changed_ = false;
};

crypto::Secret read_line() {
    std::string line;
    if (!std::getline(std::cin, line)) throw Error{"No password was given."};
    if (line.ends_with('\r')) line.pop_back();
    return crypto::Secret::take(line);
}

crypto::Secret ask(const std::string& prompt) {
    std::cerr << prompt << std::flush;
    crypto::Secret answer = [] {
        const NoEcho no_echo;
        return read_line();
    }();
    std::cerr << '\n';
    return answer;
}

} // namespace

PrintableOutput::PrintableOutput(std::ostream& stream)
    : stream_{stream},
      sink_{stream.rdbuf(this)} {}

PrintableOutput::~PrintableOutput() {
    stream_.flush();
    stream_.rdbuf(sink_);
}

PrintableOutput::int_type PrintableOutput::overflow(int_type c) {
    if (!traits_type::eq_int_type(c, traits_type::eof())) text_ += traits_type::to_char_type(c);
    if (c == '\n') sync();
    return traits_type::not_eof(c);
}

int PrintableOutput::sync() {
    for (std::string_view rest = text_; !rest.empty();) {
        const auto size = std::min(rest.find_first_of("\t\n"), rest.size());
        const auto shown = visible(rest.substr(0, size)) + std::string{rest.substr(size, 1)};
        sink_->sputn(shown.data(), static_cast<std::streamsize>(shown.size()));
        rest.remove_prefix(std::min(size + 1, rest.size()));
    }
    text_.clear();
    return sink_->pubsync();
}

crypto::Secret read_new_password(const std::string& prompt) {
    if (isatty(STDIN_FILENO) == 0) return read_line();
    crypto::Secret first = ask(prompt + ": ");
    const crypto::Secret second = ask("The same again: ");
    if (!crypto::equal_in_constant_time(first.reveal(), second.reveal())) {
        throw Error{"The two passwords differ."};
    }
    return first;
}

crypto::Secret read_password(const std::string& prompt) {
    return isatty(STDIN_FILENO) == 0 ? read_line() : ask(prompt + ": ");
}

bool may_go_on(bool sure) {
    if (sure) return true;
    if (isatty(STDIN_FILENO) == 0)
        throw UsageError{"Nobody can be asked here; add --yes to do it."};
    std::cerr << "Go on? [y/N] " << std::flush;
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

} // namespace usershell::ctl
