// A fuzz target is a parser of strangers' bytes with the rules that must hold for any input.
// libFuzzer drives it (fuzzer.cpp, `./dev fuzz`), and the ordinary tests replay its corpus
// (replay.cpp). One thread.
#pragma once

#include "base/error.hpp"
#include "crypto/ring/ring.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::fuzz {

/// Each parser has one in a file of targets/, in a namespace of the same name. It registers itself.
struct Target {
    Target(std::string_view its_name, void (*its_run)(std::string_view), std::size_t its_largest,
           std::size_t its_memory = std::size_t{256} * 1024);

    std::string_view name;
    /// Ends the process by require() when something is not as it must be. Throws nothing.
    void (*run)(std::string_view input);
    std::size_t largest; ///< bytes that the service takes of such an input
    std::size_t memory;  ///< bytes that a run may hold at a time, besides three for each of input
};

/// All that are linked, by name.
const std::vector<const Target*>& targets();

/// Runs the target, and of some inputs long versions: cost in steps and memory must be linear.
/// `always`: of every input.
void check(const Target& target, std::string_view input, bool always);

/// Reports the rule that was broken, and aborts.
[[noreturn]] void fail(std::string_view rule);
inline void require(bool holds, std::string_view rule) {
    if (!holds) fail(rule);
}

/// `read()`, if it does not refuse.
template <class Read>
bool accepts(Read read) {
    try {
        read();
    } catch (const Refusal&) {
        return false;
    } catch (const Error&) {
        return false;
    }
    return true;
}

/// Takes what steers a target off the front of an input; zeros and empty pieces at its end.
class Input {
public:
    explicit Input(std::string_view bytes) : rest_{bytes} {}

    std::size_t byte() {
        if (rest_.empty()) return 0;
        const auto value = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        return value;
    }
    /// Up to the next separator, which is dropped.
    std::string_view piece(char separator = '\0');
    std::string_view rest() const { return rest_; }
    bool empty() const { return rest_.empty(); }

private:
    std::string_view rest_;
};

/// The text in pieces whose sizes follow from `seed`.
std::vector<std::string_view> cut(std::string_view text, std::size_t seed);

/// The rings of docs/security.md's test vectors, whole: from the same secrets, on every run.
struct Rings {
    crypto::VaultSecret vault_secret;
    crypto::VaultPublic vault_public;
    crypto::WebSecret web_secret;
    crypto::WebPublic web_public;
    crypto::AuthSecret auth_secret;
    crypto::AuthPublic auth_public;
    crypto::MailSecret mail_secret;
    crypto::MailPublic mail_public;
};

/// Starts libsodium, too.
const Rings& rings();

} // namespace usershell::fuzz
