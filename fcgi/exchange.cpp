#include "fcgi/exchange.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include <sys/mman.h>

namespace usershell::fcgi {

namespace {

void write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(file, bytes.data(), bytes.size());
        if (count < 0) throw std::system_error{errno, std::generic_category(), "memory file"};
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
}

/// A file in memory with these bytes, to be read from its start.
Descriptor memory_file(std::string_view bytes) {
    Descriptor file{::memfd_create("fastcgi-request", MFD_CLOEXEC)};
    if (!file) throw std::system_error{errno, std::generic_category(), "memory file"};
    write_all(file.get(), bytes);
    if (::lseek(file.get(), 0, SEEK_SET) != 0)
        throw std::system_error{errno, std::generic_category(), "memory file"};
    return file;
}

} // namespace

Exchange::Exchange(Descriptor connection, const RequestRecords& request)
    : connection_{std::move(connection)} {
    begin(memory_file(compose(request)).release());
    const Descriptor source{request_.ipcFd};
    try {
        read_body(request.body.size());
        request_.ipcFd = connection_.get();
    } catch (...) {
        FCGX_Free(&request_, 0);
        throw;
    }
}

/// From here on libfcgi owns `source`; it closes it when it fails.
void Exchange::begin(int source) {
    FCGX_InitRequest(&request_, -1, 0);
    request_.ipcFd = source;
    request_.keepConnection = 1;
    const int result = FCGX_Accept_r(&request_);
    if (result != 0) throw std::runtime_error{"libfcgi refused the request"};
}

void Exchange::read_body(std::size_t size) {
    body_.resize(size);
    const int count = FCGX_GetStr(body_.data(), static_cast<int>(size), request_.in);
    char beyond = 0;
    // The end must be seen too, or libfcgi would take the connection for more of the body.
    if (static_cast<std::size_t>(count) != size || FCGX_GetStr(&beyond, 1, request_.in) != 0 ||
        FCGX_GetError(request_.in) != 0)
        throw std::runtime_error{"libfcgi lost the request's body"};
}

Exchange::~Exchange() { FCGX_Free(&request_, 0); }

void Exchange::write(std::string_view bytes) {
    constexpr std::size_t most = 1UL << 20U; // libfcgi counts in int
    while (!bytes.empty() && failure_ == 0) {
        const std::string_view piece = bytes.substr(0, most);
        FCGX_PutStr(piece.data(), static_cast<int>(piece.size()), request_.out);
        note_failure();
        bytes.remove_prefix(piece.size());
    }
}

bool Exchange::flush() {
    if (failure_ == 0) FCGX_FFlush(request_.out);
    note_failure();
    return failure_ == 0;
}

bool Exchange::finish() {
    if (failure_ == 0) {
        FCGX_FClose(request_.err);
        FCGX_FClose(request_.out);
    }
    note_failure();
    return failure_ == 0;
}

/// FFlush answers 0 after the first error, so the stream's own state is asked.
void Exchange::note_failure() {
    if (failure_ == 0) failure_ = std::abs(FCGX_GetError(request_.out));
}

} // namespace usershell::fcgi
