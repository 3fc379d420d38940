// Questions of usershell-execute to usershell-opener, and their answers. A connection has one of
// each, as messages (transfer.hpp). A question names a statement of the opener's and its values,
// each of a fixed form and bound. The answer has the rows, with a key in the place of each
// envelope. No envelope goes either way: nothing that a thief of usershell-execute has found
// elsewhere is opened for it.
//
// Numbers are as transfer.hpp has them. A text has its length plus one as a number, and its bytes;
// zero is a text that is missing. Other bytes are Malformed.
//
// Pure. Buffers with keys or tokens are wiped.
#pragma once

#include "base/error.hpp"
#include "base/wiping.hpp"
#include "crypto/envelope/unseal_error.hpp"
#include "crypto/secret.hpp"
#include "store/call_rows.hpp"
#include "store/database/values.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace usershell::opener {

struct Malformed : Error {
    Malformed() : Error{"The other program sent what is not of the protocol."} {}
};

inline constexpr std::size_t max_question = 4096;
/// Of the most providers that a person may have, with long lists of models.
inline constexpr std::size_t max_answer = std::size_t{4} * 1024 * 1024;
/// Longer names of models exist nowhere: "model@handle" (rules::model_id, rules::handle).
inline constexpr std::size_t max_model_name = 1024;

/// The values are those of the statement, in its order. Bytes are themselves, a boolean is "t" or
/// "f", a number has decimal digits.
struct Question {
    store::CallStatement statement;
    std::vector<std::optional<std::string>> values;
};
/// Throws Malformed for a value of another form.
WipedString encoded(const Question& question);
/// Throws Malformed. The values are as the store takes them.
Question read_question(std::string_view bytes);

/// A plaintext, or why there is none.
using Opened = std::variant<crypto::Secret, crypto::UnsealError::Reason>;

struct OpenedKey {
    Opened key;
    std::string digest; ///< crypto::digest_of() of its envelope
};

/// Opens the envelope of that row.
using Open = std::function<OpenedKey(const std::vector<std::optional<std::string>>& row,
                                     const crypto::SealedKey& sealed)>;
/// The rows of an answer, with a key in the place of each envelope, whose column is "sealed_key".
/// Throws what `open` throws.
WipedString encoded(const store::Texts& rows, const Open& open);

/// Why there are no rows.
enum class Trouble {
    unavailable, ///< the store has not answered in time, or no connection to it was free
    failed,      ///< a fault, which the opener's log has
};
WipedString encoded(Trouble trouble);

/// An answer's rows, read where they lie.
class Answer {
public:
    /// Throws Malformed. The answer of Trouble throws, too: service_is_busy(), or Error.
    explicit Answer(WipedString bytes);

    class Row : public store::RowOf<Row> {
    public:
        Row(const Answer& answer, std::size_t number) : answer_{&answer}, number_{number} {}
        std::optional<std::string_view> text_of(std::string_view column) const;
        /// Null: no envelope was opened.
        std::optional<OpenedKey> opened() const;

    private:
        const Answer* answer_;
        std::size_t number_;
    };
    bool empty() const { return rows_ == 0; }
    Row front() const { return {*this, 0}; } ///< there is one
    template <class Use>
    void each(Use use) const {
        for (std::size_t number = 0; number < rows_; ++number) use(Row{*this, number});
    }

private:
    WipedString bytes_;
    std::vector<std::string_view> columns_;
    std::vector<std::optional<std::string_view>> cells_;
    std::size_t rows_ = 0;
};

} // namespace usershell::opener
