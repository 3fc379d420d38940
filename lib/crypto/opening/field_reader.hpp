// Takes the fields that crypto/length_prefixed.hpp wrote off a record, one after another. Never
// looks past its end. Views stay valid as long as the record. Internal to lib/crypto.
#pragma once

#include "crypto/length_prefixed.hpp"

#include <optional>
#include <string_view>

namespace usershell::crypto {

class FieldReader {
public:
    explicit FieldReader(std::string_view record) : rest_{record} {}

    /// Nothing when what is left is no whole field.
    std::optional<std::string_view> next() {
        if (rest_.size() < length_prefix_size) return std::nullopt;
        std::size_t size = 0;
        for (const char byte : rest_.substr(0, length_prefix_size))
            size = size << 8 | static_cast<unsigned char>(byte);
        if (size > rest_.size() - length_prefix_size) return std::nullopt;
        const auto field = rest_.substr(length_prefix_size, size);
        rest_.remove_prefix(length_prefix_size + size);
        return field;
    }

    bool at_end() const { return rest_.empty(); }

private:
    std::string_view rest_;
};

} // namespace usershell::crypto
