// Is the answer the one that the case expects? Everything here throws CaseFailure when it is not.
#pragma once

#include "case_file.hpp"
#include "variables.hpp"
#include "web/message.hpp"

#include <set>
#include <string>

namespace usershell::test {

/// What must never stand in an answer.
struct Secrets {
    std::set<std::string> keys_and_passwords;
    std::set<std::string> session_tokens; ///< in Set-Cookie they may
};

/// What holds for every answer: no secret in it, not to be cached, its type says what its body is.
void check_manners(const Place& place, const web::Response& response, const Secrets& secrets);

void check_answer(const Expecting& expect, const web::Request& request,
                  const web::Response& response, const Variables& variables);

/// The value that the line saves.
std::string saved_value(const Saving& saving, const web::Response& response,
                        const Variables& variables);

} // namespace usershell::test
