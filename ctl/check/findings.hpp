// The results of `usershellctl check`: a line for each thing checked, and for a fault how to mend
// it.
#pragma once

#include "base/error.hpp"

#include <string>
#include <vector>

namespace usershell::ctl {

enum class Verdict { good, fault, skipped };

struct Finding {
    Verdict verdict;
    std::string what;
    std::string remedy; ///< of a fault; of what was skipped: why
};

class Findings {
public:
    void good(std::string what) { all_.push_back({Verdict::good, std::move(what), {}}); }
    void fault(std::string what, std::string remedy) {
        all_.push_back({Verdict::fault, std::move(what), std::move(remedy)});
    }
    void skip(std::string what, std::string why) {
        all_.push_back({Verdict::skipped, std::move(what), std::move(why)});
    }
    /// good() or fault(), by `is_good`.
    void check(bool is_good, std::string good_words, std::string bad_words, std::string remedy) {
        if (is_good)
            good(std::move(good_words));
        else
            fault(std::move(bad_words), std::move(remedy));
    }

    /// After a fault: other subjects would only show what follows from it.
    void hide_what_follows() { hides_ = true; }
    bool hides_what_follows() const { return hides_; }

    const std::vector<Finding>& all() const { return all_; }

private:
    bool hides_ = false;
    std::vector<Finding> all_;
};

/// How that is done; unknown: `otherwise`.
std::string words_for(Remedy remedy, std::string otherwise);

} // namespace usershell::ctl
