// Tests that do not fit a build with ThreadSanitizer.
#pragma once
#include "tests/unit/test.hpp"
#include <iostream>
namespace usershell::test {
/// Decorates a test or a suite of them: left out with ThreadSanitizer, and the reason is printed,
/// for `./dev test --sanitize` to show at its end.
inline boost::unit_test::decorator::precondition
unless_thread_sanitized([[maybe_unused]] const std::string& reason) {
    return boost::unit_test::decorator::precondition{[=](boost::unit_test::test_unit_id id) {
#ifdef __SANITIZE_THREAD__
        const auto& unit = boost::unit_test::framework::get(id, boost::unit_test::TUT_ANY);
        std::cout << unit.full_name() << " ... skipped 'with sanitizers " << reason << "'\n";
        return boost::test_tools::assertion_result{false};
#else
        static_cast<void>(id);
        return boost::test_tools::assertion_result{true};
#endif
    }};
}
} // namespace usershell::test
