#include "domain/rules.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "domain/entered.hpp"

#include <algorithm>

namespace usershell::rules {
namespace {

/// Of SharedRules; its name is that of the constant.
template <class Value>
struct Row {
    std::string_view name;
    Value value;
};

constexpr std::int64_t seconds(std::chrono::seconds time) { return time.count(); }

constexpr Row<std::int64_t> number_rows[] = {
    {"max_providers", max_providers},
    {"max_models", max_models},
    {"max_accounts", max_accounts},
    {"max_headers", max_headers},
    {"max_calls", max_calls},
    {"max_token_calls", max_token_calls},
    {"max_access_tokens", max_access_tokens},
    {"max_passkeys", max_passkeys},
    {"max_token_models", max_token_models},
    {"max_relay_body", max_relay_body},
    {"max_relay_depth", max_relay_depth},
    {"max_relay_event", max_relay_event},
    {"max_usage_days", max_usage_days},
    {"max_sessions", max_sessions},
    {"max_mails", max_mails},
    {"max_listed_models", max_listed_models},
    {"max_json_body", max_json_body},
    {"max_large_json_body", max_large_json_body},
    {"max_image_body", max_image_body},
    {"min_late_body", min_late_body},
    {"max_form_body", max_form_body},
    {"max_multipart_body", max_multipart_body},
    {"max_json_depth", max_json_depth},
    {"max_json_values", max_json_values},
    {"max_json_members", max_json_members},
    {"max_history", max_history},
    {"max_images", max_images},
    {"max_image_bytes", max_image_bytes},
    {"max_all_image_bytes", max_all_image_bytes},
    {"max_answer", max_answer},
    {"max_test_answer", max_test_answer},
    {"max_list_answer", max_list_answer},
    {"max_call_requests", max_call_requests},
    {"max_batch_requests", max_batch_requests},
    {"max_test_work", seconds(max_test_work)},
    {"max_chat_work", seconds(max_chat_work)},
    {"max_page_silence", seconds(max_page_silence)},
    {"refused_key_cooldown", seconds(refused_key_cooldown)},
    {"limited_key_cooldown", seconds(limited_key_cooldown)},
    {"max_key_cooldown", seconds(max_key_cooldown)},
    {"reset_link_lifetime", seconds(reset_link_lifetime)},
    {"invitation_lifetime", seconds(invitation_lifetime)},
    {"email_link_lifetime", seconds(email_link_lifetime)},
    {"free_sign_in_tries", free_sign_in_tries},
    {"max_account_delay", seconds(max_account_delay)},
    {"max_client_delay", seconds(max_client_delay)},
    {"clients_of_a_site", clients_of_a_site},
    {"free_reset_asks", free_reset_asks},
    {"free_client_reset_asks", free_client_reset_asks},
    {"max_reset_delay", seconds(max_reset_delay)},
    {"max_email_attempts_an_hour", max_email_attempts_an_hour},
    {"max_email_mails_an_hour", max_email_mails_an_hour},
    {"max_shown_events", max_shown_events},
    {"max_shown_events_of_kind", max_shown_events_of_kind},
    {"min_password_characters", min_password_characters},
    {"max_password_bytes", max_password_bytes},
    {"max_avatar_bytes", max_avatar_bytes},
    {"max_avatar_side", max_avatar_side},
    {"min_secret_header", min_secret_header},
    {"min_key_for_words", min_key_for_words},
    {"max_explanation", max_explanation},
    {"max_health_message", max_health_message},
    {"max_key_errors", max_key_errors},
};

constexpr Row<TextRule> text_rows[] = {
    {"display_name", display_name},
    {"provider_name", provider_name},
    {"handle", handle},
    {"account_name", account_name},
    {"token_name", token_name},
    {"model_id", model_id},
    {"model_name", model_name},
    {"base_url", base_url},
    {"email", email},
    {"api_key", api_key},
    {"header_name", header_name},
    {"header_value", header_value},
    {"message", message},
    {"system_prompt", system_prompt},
    {"history_content", history_content},
};

constexpr Row<NumberRule> bounds_rows[] = {{"priority", priority},
                                           {"temperature", temperature},
                                           {"max_tokens", max_tokens},
                                           {"requests_a_minute", requests_a_minute},
                                           {"tokens_a_day", tokens_a_day},
                                           {"token_days", token_days},
                                           {"model_position", model_position}};

constexpr Row<WordRule> words_rows[] = {
    {"status", status},          {"health", health},           {"role", role},
    {"capability", capability},  {"token_route", token_route}, {"image_type", image_type},
    {"avatar_type", avatar_type}};

SharedRules share() {
    SharedRules shared;
    const auto add_bounds = [&shared](std::string_view name, const auto& rule) {
        shared.numbers.emplace_back("min_" + std::string{name}, rule.min);
        shared.numbers.emplace_back("max_" + std::string{name}, rule.max);
    };
    for (const auto& row : number_rows) shared.numbers.emplace_back(row.name, row.value);
    for (const auto& row : text_rows) add_bounds(row.name, row.value);
    for (const auto& row : bounds_rows) add_bounds(row.name, row.value);
    for (const auto& row : words_rows) shared.words.emplace_back(row.name, row.value.words);
    shared.words.emplace_back("not_in_path", words::not_in_path);
    shared.words.emplace_back("refused_header", words::refused_headers);
    shared.words.emplace_back("reason", words::reasons);
    shared.words.emplace_back("key_entered_for", words::key_addresses);
    shared.words.emplace_back("finish_reason", words::finish_reasons);
    return shared;
}

[[noreturn]] void refuse(const NumberRule& rule) {
    throw invalid(
        rule.field,
        {"{what} is a number from {least} to {most}."_en,
         {{"what", rule.what}, {"least", grouped(rule.min)}, {"most", grouped(rule.max)}}});
}

template <class Number>
Number within(const NumberRule& rule, Number given) {
    if (given >= rule.min && given <= rule.max) return given; // not so of NaN
    refuse(rule);
}

} // namespace

Sentence error_in(const TextRule& rule, std::string_view text) {
    const bool in_bytes = rule.unit == Unit::bytes;
    const bool ascii_line = rule.characters == Characters::ascii_line;
    const bool ascii = rule.characters == Characters::visible_ascii;
    if ((in_bytes ? text.size() : count_code_points(text)) > rule.max)
        return {in_bytes && !ascii ? "{what} has at most {count} bytes."_en
                                   : "{what} has at most {count} characters."_en,
                {{"what", rule.what}, {"count", grouped(static_cast<std::int64_t>(rule.max))}}};
    if (rule.field == api_key.field)
        if (Sentence error = error_in_pasted_key(text); !error.empty()) return error;
    if (ascii && !is_visible_ascii(text) && rule.field == api_key.field)
        return "This key contains a space or an unusual character. Copy it again."_en;
    if (ascii && !is_visible_ascii(text))
        return {"{what} consists of visible ASCII characters, without spaces."_en,
                {{"what", rule.what}}};
    if (ascii_line && !is_visible_ascii(text, ' '))
        return {"{what} consists of visible ASCII characters, with spaces between them."_en,
                {{"what", rule.what}}};
    if (!ascii && has_control(text, rule.characters == Characters::lines))
        return {"{what} has no control characters."_en, {{"what", rule.what}}};
    return {};
}

void check(const TextRule& rule, std::string_view text) {
    if (Sentence error = error_in(rule, text); !error.empty())
        throw invalid(rule.field, std::move(error));
}

std::string read(const TextRule& rule, const std::optional<std::string>& given) {
    const bool is_name = rule.characters == Characters::line && rule.unit == Unit::code_points;
    std::string text = is_name ? tidy_name(given.value_or("")) : trim(given.value_or(""));
    if (text.empty() && rule.min > 0) throw missing(rule.field);
    check(rule, text);
    return text;
}

int read(const NumberRule& rule, std::int64_t given) {
    return static_cast<int>(within(rule, given));
}

double read(const NumberRule& rule, double given) { return within(rule, given); }

std::size_t read(const WordRule& rule, const std::optional<std::string>& given) {
    if (!given) throw missing(rule.field);
    const auto found = std::ranges::find(rule.words, *given);
    if (found == rule.words.end())
        throw invalid(rule.field, {"{what} is one of these: {words}."_en,
                                   {{"what", rule.what}, {"words", joined(rule.words)}}});
    return static_cast<std::size_t>(found - rule.words.begin());
}

std::string joined(std::span<const std::string_view> words, std::string_view between) {
    std::string all;
    for (const std::string_view word : words) {
        if (!all.empty()) all += between;
        all += word;
    }
    return all;
}

const SharedRules& shared_rules() {
    static const SharedRules shared = share();
    return shared;
}

} // namespace usershell::rules
