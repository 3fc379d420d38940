// The findings of a check in the text format of Prometheus.
#include "base/ascii.hpp"
#include "ctl/check/inspection.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace usershell::ctl {

namespace fs = std::filesystem;

namespace {

using Samples = std::vector<std::pair<std::string, long long>>; ///< labels, value

struct Family {
    std::string name;
    std::string_view type;
    std::string_view help;
    Samples samples;
};

std::string label(const char* name, std::string_view value) {
    return std::string{"{"} + name + "=\"" + std::string{value} + "\"}";
}

Samples samples_of(const std::optional<long long>& value) {
    return value ? Samples{{"", *value}} : Samples{};
}

/// A subject of which nothing was asked has none.
Samples subjects_of(const CheckedSubjects& subjects) {
    Samples samples;
    for (const auto& [subject, findings] : subjects) {
        const auto has = [&all = findings](Verdict verdict) {
            return std::ranges::count(all, verdict, &Finding::verdict) != 0;
        };
        if (has(Verdict::fault) || has(Verdict::good))
            samples.emplace_back(label("subject", subject), has(Verdict::fault) ? 0 : 1);
    }
    return samples;
}

Samples restarts_of(const Units& units) {
    Samples samples;
    for (const auto& [name, unit] : units)
        if (const auto restarts = parse_number<long long>(unit["NRestarts"]))
            samples.emplace_back(label("unit", name), *restarts);
    return samples;
}

} // namespace

void write_metrics(const std::string& file, const CheckedSubjects& subjects, long long faults,
                   const Inspection& inspection) {
    const auto now = std::chrono::system_clock::now();
    const Family families[] = {
        {"check_ok", "gauge", "1: the subject has no fault. None: it was not asked.",
         subjects_of(subjects)},
        {"check_faults", "gauge", "Faults of all subjects.", samples_of(faults)},
        {"check_timestamp_seconds", "gauge", "When the check ended.",
         samples_of(std::chrono::system_clock::to_time_t(now))},
        {"certificate_expiry_timestamp_seconds", "gauge", "When the site's certificate ends.",
         samples_of(inspection.certificate_end)},
        {"rings_that_differ", "gauge", "Rings of programs and machines that the files differ from.",
         samples_of(inspection.rings_that_differ)},
        {"unit_restarts_total", "counter", "Starts after an unexpected end.",
         restarts_of(inspection.units)},
    };
    const std::string fresh = file + ".new";
    std::ofstream text{fresh};
    for (const auto& [name, type, help, samples] : families) {
        const std::string full = "usershell_" + name;
        text << "# HELP " << full << ' ' << help << "\n# TYPE " << full << ' ' << type << '\n';
        for (const auto& [labels, value] : samples) text << full << labels << ' ' << value << '\n';
    }
    text.close();
    if (!text) throw Error{fresh + " can't be written."};
    fs::permissions(fresh, fs::perms{0644}); // the folder may be closed
    fs::rename(fresh, file);
}

} // namespace usershell::ctl
