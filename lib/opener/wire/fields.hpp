// The fields of the protocol's messages, in both directions: a Writer appends them, a Reader takes
// them off and fills what is given. For lib/opener/wire/protocol.cpp, whose pass() of a struct
// serves both. Each throws Malformed for what exceeds its bound. Pure.
#pragma once

#include "base/ids.hpp"
#include "base/wiping.hpp"
#include "crypto/secret.hpp"
#include "opener/wire/protocol.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace usershell::opener::wire {

inline constexpr std::size_t number_size = 8;
inline constexpr std::size_t uuid_size = 36;
inline constexpr std::size_t max_text = 16'384; ///< in answers: the longest is a key or a URL
inline constexpr std::size_t max_list = 10'000;
inline constexpr auto max_number =
    static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

class Writer {
public:
    static constexpr bool reads = false;

    explicit Writer(WipedString& out) : out_{out} {}

    template <class Number>
    void number(const Number& value, std::uint64_t most = max_number) {
        const auto number = static_cast<std::uint64_t>(value);
        if (number > most) throw Malformed{};
        std::array<char, number_size> bytes{};
        for (std::size_t i = 0; i < number_size; ++i)
            bytes[i] = static_cast<char>((number >> (8 * (number_size - 1 - i))) & 0xff);
        out_.append({bytes.data(), bytes.size()});
    }
    void text(std::string_view value, std::size_t least, std::size_t most) {
        if (value.size() < least) throw Malformed{};
        number(value.size(), most);
        out_.append(value);
    }
    void secret(const crypto::Secret& value) { text(value.reveal(), 0, max_text); }

private:
    WipedString& out_;
};

class Reader {
public:
    static constexpr bool reads = true;

    explicit Reader(std::string_view bytes) : rest_{bytes} {}

    template <class Number>
    void number(Number& value, std::uint64_t most = max_number) {
        std::uint64_t number = 0;
        for (const char byte : take(number_size))
            number = number << 8 | static_cast<unsigned char>(byte);
        if (number > most) throw Malformed{};
        value = static_cast<Number>(number);
    }
    void text(std::string& value, std::size_t least, std::size_t most) {
        value = view(least, most);
    }
    void secret(crypto::Secret& value) { value = crypto::Secret{view(0, max_text)}; }
    void end() const {
        if (!rest_.empty()) throw Malformed{};
    }

private:
    std::string_view take(std::size_t size) {
        if (size > rest_.size()) throw Malformed{};
        const std::string_view taken = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return taken;
    }
    std::string_view view(std::size_t least, std::size_t most) {
        std::size_t size = 0;
        number(size, most);
        if (size < least) throw Malformed{};
        return take(size);
    }

    std::string_view rest_;
};

/// Of one struct, whether it is written or read.
template <class Given, class Struct>
concept Is = std::same_as<std::remove_const_t<Given>, Struct>;

template <class Kind>
Kind nil() {
    return Kind::parse("00000000-0000-0000-0000-000000000000").value();
}

/// What a Reader begins with.
template <class Value>
Value blank() {
    return {};
}
template <class Kind>
void pass(Writer& wire, const Id<Kind>& id) {
    wire.text(id.text(), uuid_size, uuid_size);
}
template <class Kind>
void pass(Reader& wire, Id<Kind>& id) {
    std::string text;
    wire.text(text, uuid_size, uuid_size);
    auto parsed = Id<Kind>::parse(text);
    if (!parsed) throw Malformed{};
    id = *std::move(parsed);
}

template <class Wire>
void flag(Wire& wire, auto& value) {
    wire.number(value, 1);
}

template <class Wire, class Value>
void maybe(Wire& wire, Value& value, auto each) {
    using Held = std::remove_cvref_t<decltype(*value)>;
    bool has = value.has_value();
    flag(wire, has);
    if constexpr (Wire::reads) {
        value.reset();
        if (has) value.emplace(blank<Held>());
    }
    if (has) each(*value);
}
template <class Wire, class Value>
void maybe(Wire& wire, Value& value) {
    maybe(wire, value, [&wire](auto& held) { pass(wire, held); });
}

template <class Wire, class Values>
void list(Wire& wire, Values& values, auto each) {
    std::size_t count = values.size();
    wire.number(count, max_list);
    if constexpr (Wire::reads) {
        for (; count > 0; --count) {
            values.push_back(blank<typename Values::value_type>());
            each(values.back());
        }
    } else {
        for (auto& value : values) each(value);
    }
}
template <class Wire, class Values>
void list(Wire& wire, Values& values) {
    list(wire, values, [&wire](auto& value) { pass(wire, value); });
}

} // namespace usershell::opener::wire
