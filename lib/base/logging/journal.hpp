// Log lines as systemd's journal keeps them: the text as its message, each field as a field of its
// own, in capitals and with USERSHELL_ before its name: `journalctl USERSHELL_REQUEST_ID=…`.
#pragma once

#include "base/logging/log.hpp"

namespace usershell {

/// Has systemd connected standard error to the journal (JOURNAL_STREAM, systemd.exec(5))?
bool stderr_is_the_journal();

/// By sd_journal_sendv(3). A line that the journal does not accept is dropped.
void write_to_journal(const LogLine& line);

} // namespace usershell
