// usershell-opener: begins calls for usershell-execute and opens their keys. It alone can open
// keys. It parses nothing that strangers have written, and its one other peer is the database.
#include "crypto/ring/ring.hpp"
#include "crypto/unseal/unseal.hpp"
#include "metrics/registry.hpp"
#include "opener/answers.hpp"
#include "opener/server.hpp"
#include "program/program.hpp"
#include "runtime/listener.hpp"
#include "runtime/process.hpp"
#include "store/installation.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

using namespace usershell;

namespace {

constexpr std::size_t max_threads = 128; ///< the unit permits 256 (TasksMax=)

/// Statements in the order of store::CallStatement.
std::vector<metrics::Family> families() {
    return {{.name = "usershell_opener_requests_total",
             .help = "Requests of usershell-execute, by what they ask and whether the store has "
                     "found a right to it.",
             .kind = metrics::Kind::counter,
             .labels = {{"kind", {"begin_call", "begin_token_call", "load_provider", "next_key"}},
                        {"outcome", {"answered", "no_right"}}}}};
}

int serve(const CommandLine& given) {
    const Settings& settings = given.settings;
    store::Database database{settings.database, settings.database_connections};
    const auto vault = crypto::load_ring<crypto::VaultSecret>(settings.vault_secret);
    const auto web = crypto::load_ring<crypto::WebPublic>(settings.web_public);
    const std::vector rings{crypto::summary_of(vault), crypto::summary_of(web)};
    const auto require_store = [&] { store::require_store(database, rings); };
    if (given.check) return 0;
    require_store();
    const crypto::Unsealer unsealer{vault, web,
                                    settings.hold_keys_on_change ? crypto::AddressRule::whole
                                                                 : crypto::AddressRule::path};
    const auto reporter = program::report_rings(database, rings);
    program::ProcessGauges process{settings.metrics_folder, database};
    metrics::Registry questions{settings.metrics_folder, "requests", families()};
    const auto monitoring =
        program::serve_monitoring(Program::opener, settings,
                                  {.require_store = require_store,
                                   .registries = {&process.registry(), &questions},
                                   .sample = [&process] { process.sample(); }});
    const std::size_t threads = std::min<std::size_t>(settings.database_connections, max_threads);
    const opener::Server server{
        Listener::of_requests(settings.socket), threads, [&](const opener::Question& question) {
            auto answered = opener::answer(database, unsealer, question);
            questions.count(
                0, {static_cast<std::size_t>(question.statement), answered.has_right ? 0U : 1U});
            return std::move(answered.bytes);
        }};
    wait_until_stopped();
    return 0;
}

} // namespace

int main(int argc, char** argv) { return program::run_program(Program::opener, argc, argv, serve); }
