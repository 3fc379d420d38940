// Units as systemd has them, and units of our own that last for one check.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::ctl {

/// A unit's properties, as `systemctl show` names them.
struct Unit {
    std::map<std::string, std::string, std::less<>> properties;

    /// Empty for one that was not asked for or is not set.
    const std::string& operator[](std::string_view name) const;
    bool is_active() const { return (*this)["ActiveState"] == "active"; }
};

using Units = std::map<std::string, Unit>;

/// Those units by name; patterns find what systemd has in memory. Empty: systemd does not run here.
Units show_units(const std::vector<std::string>& names, const std::string& properties);

/// The [Service] lines of the unit and its drop-ins as they are on disk now, but for those with
/// which it would do more than one command: its sockets, what runs before and after.
std::string service_lines(std::string_view text);

/// With a socket its pool, while which runs no socket begins.
std::string restart_command(const std::string& unit);

/// The whole of a file; empty: it can't be read.
std::string text_of(const std::string& file);

/// A unit of this text in /run/systemd/system, until this object is destroyed.
class TemporaryUnit {
public:
    TemporaryUnit(std::string name, const std::string& text);
    ~TemporaryUnit();
    TemporaryUnit(const TemporaryUnit&) = delete;
    TemporaryUnit& operator=(const TemporaryUnit&) = delete;

    const std::string& name() const { return name_; }

private:
    std::string name_;
    std::string path_;
};

} // namespace usershell::ctl
