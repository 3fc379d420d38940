// The two kinds of exception of our own.
//
// Refusal: an expected way in which a request can't be served. Any layer may throw one; the
// application turns it into an answer in one place (pipeline/answer). Everything a Refusal carries
// is public: no key, no internal detail, no text of an exception ever goes into it.
//
// Error: the program, its files or its settings are not as they must be. Its text may be logged;
// the texts of all other exceptions may not (loggable() in base/logging/log.hpp holds that rule).
#pragma once

#include "base/sentence.hpp"

#include <cerrno>
#include <chrono>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace usershell {

/// The error codes of docs/contract.md, section 1; each has one HTTP status.
enum class ErrorCode {
    not_signed_in,
    antiforgery_invalid,
    malformed_json,
    missing_field,
    invalid_field,
    cap_reached,
    not_allowed,
    not_found,
    method_not_allowed,
    conflict,
    provider_inactive,
    no_enabled_model,
    body_too_large,
    unsupported_media_type,
    rate_limited,
    internal_error,
    upstream_error,
    unavailable,
    outcome_unknown,
    upstream_timeout,
    password_needed,
};

/// The code as error bodies have it: snake_case.
std::string_view name_of(ErrorCode code);

/// HTTP status of a code.
int status_of(ErrorCode code);

class Refusal : public std::exception {
public:
    /// `sentence`: shown to the caller. `field`: the input at fault, or empty.
    Refusal(ErrorCode code, Sentence sentence, std::string field = {})
        : code_{code},
          sentence_{std::move(sentence)},
          field_{std::move(field)} {}

    /// Why a provider's call failed, in the contract's word: `reason` of the error body.
    Refusal&& because(std::string_view reason) && {
        reason_ = reason;
        return std::move(*this);
    }

    /// Adds a member to the error body, unless `value` is empty.
    Refusal&& with(std::string_view member, std::string value) && {
        if (!value.empty()) members_.emplace_back(member, std::move(value));
        return std::move(*this);
    }

    /// When to come back, sent as Retry-After (whole seconds, at least 1).
    Refusal&& retry_after(std::chrono::seconds wait) && {
        retry_after_ = wait < std::chrono::seconds{1} ? std::chrono::seconds{1} : wait;
        return std::move(*this);
    }

    ErrorCode code() const { return code_; }
    int status() const { return status_of(code_); }
    const Sentence& sentence() const { return sentence_; }
    const std::string& field() const { return field_; }
    const std::string& reason() const { return reason_; } ///< empty: none
    /// Further members of the error body: name and text.
    const std::vector<std::pair<std::string, std::string>>& members() const { return members_; }
    std::optional<std::chrono::seconds> retry_after() const { return retry_after_; }
    const char* what() const noexcept override { return sentence_.english().c_str(); }

private:
    ErrorCode code_;
    Sentence sentence_;
    std::string field_;
    std::string reason_;
    std::vector<std::pair<std::string, std::string>> members_;
    std::optional<std::chrono::seconds> retry_after_;
};

/// 404 for what does not exist and for what is another user's: the two are one answer.
Refusal not_found();
/// 400 `missing_field`: "name is required."
Refusal missing(std::string_view field);
/// 400 `invalid_field`.
Refusal invalid(std::string_view field, Sentence sentence);
/// 403: the person has to give the password again.
Refusal password_needed();
/// 413 with the limit, in bytes.
Refusal body_too_large(std::size_t limit);
/// 400: less came than was announced.
Refusal body_cut_short();
/// 503 with Retry-After.
Refusal unavailable(Sentence sentence, std::chrono::seconds wait);
/// The same, for a second: no thread, slot, connection or memory is free.
Refusal service_is_busy();
/// 500. The log has the cause.
Refusal internal_error();

/// The remedy of an Error, as its thrower knows it. The log has the name;
/// ctl/check/check.cpp has the words.
enum class Remedy {
    unknown,
    correct_setting,
    correct_host,
    start_server,
    write_access_lines,
    more_connections,
    no_pooler,
    init,
    migrate,
    other_version,
    reinstall,
    install_curl,
    restore_rings,
    permit_reading, ///< of the program's files, to its user
    close_rings,    ///< ring files that others may read or write
    end_lock,       ///< that another session holds in the database
};

/// Of a file that can't be read, by errno; `otherwise`, where its rights are no reason.
Remedy remedy_of_errno(int code, Remedy otherwise);

/// As the enumerator.
std::string_view name_of(Remedy remedy);
/// Of an Error that is no more than its name in a log. Another word: unknown.
Remedy remedy_named(std::string_view name);

/// what() is a sentence of our own words and of the operator's names (a file, a setting, a
/// template). Nothing of a request, a key, a row or another program's text is in it.
class Error : public std::runtime_error {
public:
    explicit Error(const std::string& what, Remedy remedy = Remedy::unknown)
        : std::runtime_error{what},
          remedy_{remedy} {}

    Remedy remedy() const { return remedy_; }

private:
    Remedy remedy_;
};

/// Of any exception.
Remedy remedy_of(const std::exception& error);

/// A call of the operating system failed; what() is "what: the system's words for the code".
class SystemError : public Error {
public:
    /// `what`: the call or the file. `code`: its errno.
    explicit SystemError(const std::string& what, int code = errno);

    int code() const { return code_; }

private:
    int code_;
};

} // namespace usershell
