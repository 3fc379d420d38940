// nginx by its own words: what `nginx -T` reads now, and whether it runs with that.
#include "base/ascii.hpp"
#include "base/text.hpp"
#include "ctl/check/inspection.hpp"
#include "ctl/system/child.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <sys/stat.h>
#include <unistd.h>

namespace usershell::ctl {

namespace fs = std::filesystem;

namespace {

const std::string and_reload = " && nginx -t && systemctl reload nginx";

/// A directive and its place. A block's name is one, too: "upstream usershell_auth".
struct Directive {
    std::string name;
    std::string value;
    std::string file; ///< itself, where links lead
};

using Directives = std::vector<Directive>;

Directives directives_in(const std::string& text) {
    constexpr std::string_view mark = "# configuration file ";
    Directives found;
    std::string file;
    for_each_piece(text, '\n', [&](std::string_view line) {
        line = trim_blanks(line);
        if (line.starts_with(mark)) {
            file = line.substr(mark.size(), line.find(':') - mark.size());
            std::error_code error;
            if (const auto real = fs::canonical(file, error); !error) file = real;
            return;
        }
        if (line.starts_with('#')) return;
        const auto end = line.find_first_of(";{");
        if (end == std::string_view::npos) return;
        const auto directive = trim_blanks(line.substr(0, end));
        const auto blank = std::min(directive.find(' '), directive.size());
        found.push_back(
            {std::string{directive.substr(0, blank)}, trim(directive.substr(blank)), file});
    });
    return found;
}

const Directive* find(const Directives& all, std::string_view name, std::string_view piece) {
    const auto found = std::ranges::find_if(all, [&](const Directive& each) {
        return each.name == name && each.value.find(piece) != std::string::npos;
    });
    return found == all.end() ? nullptr : &*found;
}

/// The lines of it in that file with `value` go.
std::string without_line(const Directive& it) {
    return "sed -i '\\|^ *" + it.name + " *" + it.value + " *;|d' " + it.file + and_reload;
}

/// Settings that break the service, wherever they come from.
void check_amounts(const Directives& all, Findings& findings) {
    constexpr unsigned few = 256;
    for (const Directive& each : all) {
        const auto number = parse_number<unsigned>(each.value);
        if (each.name == "worker_connections" && number && *number < few)
            findings.fault("nginx has " + each.value + " connections a worker only.",
                           "sed -i 's/worker_connections .*;/worker_connections 768;/' " +
                               each.file + and_reload);
        if (each.name == "set_real_ip_from" && each.value.ends_with("/0"))
            findings.fault("Every client may say by a header which address it has (" + each.file +
                               ").",
                           without_line(each));
    }
}

/// Each pool by its own socket.
void check_upstreams(const Directives& all, const Inspection& inspection, Findings& findings) {
    std::string upstream;
    for (const Directive& each : all) {
        if (each.name == "upstream") upstream = each.value;
        constexpr std::string_view ours = "usershell_";
        if (each.name != "server" || !upstream.starts_with(ours) || each.value.empty()) continue;
        const std::string socket =
            inspection.sockets + "/" + upstream.substr(ours.size()) + ".sock";
        if (each.value.find("unix:" + socket) == std::string::npos)
            findings.fault("nginx asks for " + upstream + " at " + each.value + ".",
                           "sed -i '/upstream " + upstream + " /,/}/s|unix:[^ ;]*|unix:" + socket +
                               "|' " + each.file + and_reload);
        upstream.clear();
    }
}

void check_site(const Directives& all, const Inspection& inspection, Findings& findings) {
    const Directive* const site = find(all, "include", "usershell/server.conf");
    if (site == nullptr) {
        findings.fault("nginx has no site of usershell.",
                       "ln -sf ../sites-available/usershell /etc/nginx/sites-enabled/" +
                           and_reload);
        return;
    }
    const Directive* const listen = find(all, "listen", "proxy_protocol");
    if (listen != nullptr && find(all, "set_real_ip_from", "") == nullptr)
        findings.fault("nginx waits for the PROXY protocol, and no load balancer is named.",
                       "sed -i '/listen/s/ proxy_protocol//' " + listen->file + and_reload);
    const Settings* const manage = inspection.settings_of(Program::manage);
    if (manage == nullptr) return;
    const std::string host{host_name_of(manage->base_url)};
    const auto names_host = [&](const Directive& each) {
        return each.name == "server_name" &&
               (" " + each.value + " ").find(" " + host + " ") != std::string::npos;
    };
    const auto other = std::ranges::find_if(all, [&](const Directive& each) {
        return each.name == "server_name" && each.file == site->file && each.value != "_";
    });
    if (std::ranges::none_of(all, names_host) && other != all.end())
        findings.fault("base-url has the name " + host + ", nginx's site " + other->value + ".",
                       "sed -i 's|^base-url *=.*|base-url = https://" + other->value + "|' " +
                           inspection.folder +
                           "/*.conf && systemctl reload usershell-auth usershell-manage "
                           "usershell-execute");
    const bool has_tokens = std::ranges::all_of(workers, [&](Program each) {
        const Settings* const settings = inspection.settings_of(each);
        return settings != nullptr && settings->api;
    });
    if (has_tokens && find(all, "include", "usershell/api.conf") == nullptr)
        findings.fault("Access tokens are on (api), and nginx does not pass /v1 on.",
                       "sed -i 's|# *include usershell/api.conf;|include usershell/api.conf;|' " +
                           site->file + and_reload);
}

/// May its workers connect to the pools?
void check_reach(const Directives& all, Inspection& inspection, Findings& findings) {
    const Directive* const user = find(all, "user", "");
    if (user == nullptr || geteuid() != 0) return;
    const std::string name = user->value.substr(0, user->value.find(' '));
    for (const Program program : workers) {
        const std::string path = inspection.sockets + "/" + short_name(program) + ".sock";
        if (!fs::exists(path) || run_child({{"test", "-w", path}, {}, name}).status == 0) continue;
        inspection.broken.emplace(name_of(program));
        findings.fault("nginx (" + name + ") may not connect to " + path + ".",
                       "systemd-tmpfiles --create usershell.conf; chown root:" + name + " " + path +
                           " && chmod 660 " + path);
    }
}

/// When the last process of its group began: a reload makes new workers. In seconds since 1970.
std::optional<long long> last_reload(const Unit& nginx) {
    const std::string& group = nginx["ControlGroup"];
    std::optional<long long> last;
    long long boot = 0;
    std::ifstream machine{"/proc/stat"};
    for (std::string word; machine >> word;)
        if (word == "btime") machine >> boot;
    for (const std::string root : {"/sys/fs/cgroup", "/sys/fs/cgroup/systemd"}) {
        std::ifstream processes{root + group + "/cgroup.procs"};
        for (std::string process; processes >> process;) {
            std::string text;
            std::getline(std::ifstream{"/proc/" + process + "/stat"}, text);
            std::istringstream fields{text.substr(std::min(text.rfind(')') + 1, text.size()))};
            std::string field;
            constexpr int start = 20; // of those after the name (proc_pid_stat(5))
            for (int number = 0; number < start; ++number) fields >> field;
            const auto ticks = parse_number<long long>(field);
            if (ticks) last = std::max(last.value_or(0), boot + *ticks / sysconf(_SC_CLK_TCK));
        }
    }
    return last;
}

/// Its files, and the certificates that they name.
void check_nginx_age(const Directives& all, const Inspection& inspection, Findings& findings) {
    const auto nginx = inspection.units.find("nginx.service");
    if (nginx == inspection.units.end() || !nginx->second.is_active()) return;
    const auto began = last_reload(nginx->second);
    if (!began) return;
    constexpr int precision = 2;
    std::set<std::string> files, newer;
    for (const Directive& each : all) {
        files.insert(each.file);
        if (each.name.starts_with("ssl_certificate")) files.insert(each.value);
    }
    for (const std::string& file : files) {
        struct stat status {};
        if (stat(file.c_str(), &status) == 0 && status.st_ctim.tv_sec > *began + precision)
            newer.insert(file);
    }
    if (!newer.empty())
        findings.fault("nginx runs with an older " + *newer.begin() +
                           (newer.size() == 1 ? "." : " and other files."),
                       "nginx -t && systemctl reload nginx");
}

/// Of what it says: the first line that is no hint.
std::string emergency_in(const std::string& said) {
    std::string reason;
    for_each_piece(said, '\n', [&](std::string_view line) {
        const auto level = std::min(line.find("[emerg] "), line.find("[crit] "));
        if (!reason.empty() || level == std::string_view::npos) return;
        line.remove_prefix(line.find("] ") + 2);
        const auto process = std::min(line.find(": "), line.size()); // "123#123: …" of its log
        if (line.substr(0, process).find('#') != std::string_view::npos)
            line.remove_prefix(process + 2);
        reason = line;
    });
    return reason.empty() ? said.substr(0, said.find('\n')) : reason;
}

} // namespace

void check_nginx(Inspection& inspection, Findings& findings) {
    const auto told = run_child({{"nginx", "-T"}, {}, {}});
    constexpr int not_found = 127;
    if (told.status == not_found) {
        findings.skip("nginx's files", "there is no nginx here");
        return;
    }
    if (told.status != 0) {
        findings.fault("nginx does not start again: " + emergency_in(told.errors),
                       "Mend what nginx -t names; then systemctl reload-or-restart nginx");
        return;
    }
    const Directives all = directives_in(told.output);
    check_upstreams(all, inspection, findings);
    check_site(all, inspection, findings);
    if (!findings.all().empty()) inspection.broken.insert("nginx");
    check_amounts(all, findings);
    check_reach(all, inspection, findings);
    check_nginx_age(all, inspection, findings);
    if (findings.all().empty()) findings.good("nginx runs with its files of now, and they fit.");
}

} // namespace usershell::ctl
