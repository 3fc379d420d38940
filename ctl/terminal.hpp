// The operator's terminal: questions, and what is fit to be shown.
#pragma once

#include "crypto/secret.hpp"

#include <iosfwd>
#include <streambuf>
#include <string>

namespace usershell::ctl {

/// While it lives, a stream shows text alone: of what it is given, line ends and tabs pass, the
/// rest is as visible() has it (base/text.hpp), JSON too. Names that are stored, and texts of other
/// programs, could move the cursor or turn a line around. main() has one for each of its streams,
/// so that no command can leave it out.
class PrintableOutput final : public std::streambuf {
public:
    /// `stream` outlives it.
    explicit PrintableOutput(std::ostream& stream);
    ~PrintableOutput() override;
    PrintableOutput(const PrintableOutput&) = delete;
    PrintableOutput& operator=(const PrintableOutput&) = delete;

private:
    int_type overflow(int_type c) override;
    int sync() override;

    std::ostream& stream_;
    std::streambuf* sink_;
    std::string text_; ///< since the last line end or flush
};

/// On a terminal: asks with `prompt`, twice, without echo, and throws Error when the
/// two differ. Elsewhere: the first line of standard input.
crypto::Secret read_new_password(const std::string& prompt);

/// The same, but asks once.
crypto::Secret read_password(const std::string& prompt);

/// Asks whether to go on, after the caller has printed what it is about to do. True without asking
/// when `sure` (--yes). Throws UsageError when standard input is no terminal.
bool may_go_on(bool sure);

} // namespace usershell::ctl
