// How a test reads a refusal, and long texts to refuse.
#pragma once
#include "tests/unit/test.hpp"
namespace usershell::test {
/// "code", or "code field" when a field is at fault; "served" when nothing was refused.
template <class Work>
std::string outcome_of(Work work) {
    try {
        work();
    } catch (const Refusal& refusal) {
        BOOST_TEST(!refusal.sentence().empty());
        std::string outcome{name_of(refusal.code())};
        if (!refusal.field().empty()) outcome += " " + refusal.field();
        return outcome;
    }
    return "served";
}

inline std::string repeated(const std::string& piece, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += piece;
    return text;
}
} // namespace usershell::test
