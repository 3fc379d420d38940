// Every limit, list of words and field of the service, once: handlers, usershellctl, their
// sentences and the pages draw from this table, and tests/rules holds docs/openapi.yaml, the
// database's constraints and nginx against it. Add a new row to shared_rules() too. Settings have a
// table of their own (setting_table.hpp). Source: the named sections of docs/contract.md.
//
// A field has one way from what was given to what is stored: read(), which trims, checks and throws
// a Refusal that names the field, with a sentence made from the row. Pure; any thread may call.
#pragma once

#include "base/sentence.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace usershell::rules {

inline constexpr std::size_t kib = 1024;

// Caps of a user (sections 3 to 6).
inline constexpr int max_providers = 10;
inline constexpr int max_models = 20;                  ///< a provider
inline constexpr int max_accounts = 10;                ///< a provider
inline constexpr int max_headers = 8;                  ///< a provider
inline constexpr int max_calls = 8;                    ///< a user's, under way at a time
inline constexpr int max_token_calls = 32;             ///< by access tokens, besides those
inline constexpr int max_access_tokens = 20;           ///< access tokens of a user
inline constexpr int max_passkeys = 10;                ///< passkeys of a user
inline constexpr int max_token_models = 100;           ///< models that one is limited to
inline constexpr int max_sessions = 50;                ///< a user's; the oldest ends
inline constexpr int max_mails = 50;                   ///< a user's of a kind, waiting or given up
inline constexpr std::size_t max_listed_models = 2000; ///< of a provider's own list

// Bodies, in bytes (section 1).
inline constexpr std::size_t max_json_body = 64 * kib;
inline constexpr std::size_t max_large_json_body = kib * kib; ///< of the playground and the import
/// Of the playground, with images. All other parts have at most max_large_json_body.
inline constexpr std::size_t max_image_body = 28 * kib * kib;
/// From here on the playground's body is read as it arrives, into memory that is reserved for it.
inline constexpr std::size_t min_late_body = 1'000'000;
inline constexpr std::size_t max_form_body = 64 * kib;
inline constexpr std::size_t max_multipart_body = 320 * kib; ///< an avatar with its envelope
inline constexpr std::size_t max_json_depth = 16;
inline constexpr std::size_t max_json_values = 20'000; ///< a body's, members and elements alike
/// Of one object, in bodies and in providers' answers: names can be chosen so that Boost.JSON looks
/// at all of them for each.
inline constexpr std::size_t max_json_members = 500;
inline constexpr std::size_t max_history = 1000; ///< entries before the message (section 6)

// Images in messages (section 6): of one message; bytes of each, and of all in a conversation.
inline constexpr std::size_t max_images = 4;
inline constexpr std::size_t max_image_bytes = 5 * kib * kib;
inline constexpr std::size_t max_all_image_bytes = 20 * kib * kib;

// A request by an access token: its body in bytes, the depth of its JSON (section 9).
inline constexpr std::size_t max_relay_body = 32 * kib * kib;
inline constexpr std::size_t max_relay_depth = 256;
/// Of an answer's event, in bytes. Images are the largest. From 64 KiB on it is reserved memory.
inline constexpr std::size_t max_relay_event = 8 * kib * kib;

// Answers of providers, in bytes (section 6).
inline constexpr std::size_t max_answer = 4 * kib * kib;
inline constexpr std::size_t max_test_answer = 64 * kib;
inline constexpr std::size_t max_list_answer = 8 * kib * kib;

// The budget of a call (section 6): requests to providers, of one provider in a batch, and
// processor time for what a provider's answers cause, in a test or list and in a chat.
inline constexpr int max_call_requests = 30;
inline constexpr int max_batch_requests = 3;
inline constexpr std::chrono::seconds max_test_work{2};
inline constexpr std::chrono::seconds max_chat_work{10};

/// How long a provider may say nothing in the playground, where a person waits; a tool waits for
/// the setting upstream-silence-timeout. Two such silences fit into a whole call.
inline constexpr std::chrono::seconds max_page_silence{300};

// How long a provider's key is in cooldown: refused, rate limited without a time, and at most,
// whatever time the provider names (section 6).
inline constexpr std::chrono::seconds refused_key_cooldown{300};
inline constexpr std::chrono::seconds limited_key_cooldown{30};
inline constexpr std::chrono::seconds max_key_cooldown{3600};

// Links, used once (sections 2 and 7).
inline constexpr std::chrono::hours reset_link_lifetime{1};
inline constexpr std::chrono::hours invitation_lifetime{72};
inline constexpr std::chrono::hours email_link_lifetime{24};

// Tries that may not come too fast: so many are free, then the delay doubles up to the longest
// (section 2).
inline constexpr int free_sign_in_tries = 5;
inline constexpr std::chrono::seconds max_account_delay{60};
inline constexpr std::chrono::seconds max_client_delay{900};
inline constexpr int clients_of_a_site = 10; ///< a /48 of IPv6 has the free tries of so many
inline constexpr int free_reset_asks = 3;    ///< for an address
inline constexpr int free_client_reset_asks = 10;
inline constexpr std::chrono::seconds max_reset_delay{3600};
inline constexpr int max_email_attempts_an_hour = 10;
inline constexpr int max_email_mails_an_hour = 5;

// Access tokens (section 9): days of usage that are kept.
inline constexpr int max_usage_days = 400;

// Events on the security page: in all, and of one kind (section 7).
inline constexpr int max_shown_events = 20;
inline constexpr int max_shown_events_of_kind = 5;

// Passwords (section 2) and pictures (section 7).
inline constexpr std::size_t min_password_characters = 12;
inline constexpr std::size_t max_password_bytes = 1024;
inline constexpr std::size_t max_avatar_bytes = 256 * kib;
inline constexpr unsigned max_avatar_side = 4096; ///< pixels

/// A shorter key may be a known word itself: with one, no word of its provider is shown, and no
/// answer is searched for it.
inline constexpr std::size_t min_key_for_words = 16;
/// From so many characters on, the value of a header is a secret as a key is: it is looked for in
/// answers, and may forbid a provider's words.
inline constexpr std::size_t min_secret_header = 8;
/// The longest stored explanation of a mail's failure, in code points.
inline constexpr std::size_t max_explanation = 500;
/// The longest stored sentence about a health, in code points. It may name each key of a provider.
inline constexpr std::size_t max_health_message = 3600;
/// Why calls with a key have failed: so many of the latest are kept of each key.
inline constexpr int max_key_errors = 5;

enum class Unit { code_points, bytes };

/// A line has no control character, as has_control() knows them; lines may have tab, CR, LF,
/// separators and controls of direction. A line of ASCII has visible characters and spaces.
enum class Characters { line, lines, visible_ascii, ascii_line };

/// A field of text.
struct TextRule {
    std::string_view field; ///< as in requests
    English what;           ///< begins its sentences: "A name"
    std::size_t min;        ///< 0: may be left out
    std::size_t max;
    Unit unit = Unit::code_points;
    Characters characters = Characters::line;
};

inline constexpr TextRule display_name{"DisplayName", "A name"_en, 1, 120};
inline constexpr TextRule provider_name{"name", "A name"_en, 1, 100};
/// Of a provider: small letters, digits and hyphens, a hyphen at neither end.
inline constexpr TextRule handle{"handle", "A handle"_en,     1,
                                 40,       Unit::code_points, Characters::visible_ascii};
inline constexpr TextRule account_name{"name", "A name"_en, 1, 100};
inline constexpr TextRule model_id{"modelId", "A model id"_en, 1, 200};
inline constexpr TextRule model_name{"displayName", "A model’s name"_en, 0, 200};
inline constexpr TextRule base_url{"baseUrl", "A base URL"_en, 1, 2048, Unit::bytes};
// RFC 5321, 4.5.3.1.3: a path of 256 bytes with its angle brackets.
inline constexpr TextRule email{"NewEmail", "An address"_en, 1, 254, Unit::bytes};
inline constexpr TextRule api_key{"apiKey", "A key"_en,  1,
                                  4096,     Unit::bytes, Characters::visible_ascii};
/// Of an own header (domain/entered.hpp): letters, digits and hyphens, a letter first.
inline constexpr TextRule header_name{"name", "A header’s name"_en, 1,
                                      64,     Unit::bytes,          Characters::visible_ascii};
inline constexpr TextRule header_value{"value", "A header’s value"_en, 1,
                                       4096,    Unit::bytes,           Characters::ascii_line};
inline constexpr TextRule message{"message", "A message"_en,    1,
                                  32'768,    Unit::code_points, Characters::lines};
inline constexpr TextRule system_prompt{"system", "A system prompt"_en, 0,
                                        32'768,   Unit::code_points,    Characters::lines};
inline constexpr TextRule history_content{"history", "A message"_en,    0,
                                          32'768,    Unit::code_points, Characters::lines};

inline constexpr TextRule token_name{"Name", "A name"_en, 1, 100};

/// A field of a number.
struct NumberRule {
    std::string_view field;
    English what; ///< begins its sentence: "The priority"
    int min;
    int max;
};

inline constexpr NumberRule priority{"priority", "The priority"_en, 0, 1000};
inline constexpr NumberRule model_position{"position", "The position"_en, 1, max_models};
inline constexpr NumberRule temperature{"temperature", "The temperature"_en, 0, 2};
inline constexpr NumberRule requests_a_minute{"RequestsAMinute", "The number of requests"_en, 1,
                                              6000};
inline constexpr NumberRule tokens_a_day{"TokensADay", "The number of tokens"_en, 1, 1'000'000'000};
inline constexpr NumberRule token_days{"Days", "The number of days"_en, 1, 365};
inline constexpr NumberRule max_tokens{"maxTokens", "The token limit"_en, 1, 1'000'000};

/// A field, or a part of one, that is a word of a list.
struct WordRule {
    std::string_view field;
    English what; ///< begins its sentence: "The status"
    std::span<const std::string_view> words;
};

namespace words {
inline constexpr std::string_view statuses[] = {"active", "inactive"};
inline constexpr std::string_view health[] = {"unknown", "healthy", "degraded", "unhealthy"};
/// Why a key is held back: it was entered for another path or another address (section 3).
inline constexpr std::string_view key_addresses[] = {"another_path", "another_address"};
inline constexpr std::string_view roles[] = {"user", "assistant"};
inline constexpr std::string_view capabilities[] = {
    "generation", "assistant", "reasoning", "vision", "tools",      "code",   "embedding",
    "rerank",     "image",     "audio",     "video",  "moderation", "search", "fetch"};
inline constexpr std::string_view pictures[] = {"image/png", "image/jpeg"};
/// Of images in messages; their first bytes: lib/execute/playground/playground_request.cpp.
inline constexpr std::string_view image_types[] = {"image/png", "image/jpeg", "image/webp"};
/// Why a provider's call failed (section 1), and why an answer ended (section 6).
inline constexpr std::string_view reasons[] = {
    "key_refused",   "not_allowed", "out_of_credit",   "rate_limited",      "overloaded",
    "unknown_model", "wrong_api",   "too_long",        "rejected",          "policy",
    "unreachable",   "timed_out",   "bad_certificate", "not_this_protocol", "cut_off",
    "too_large",     "empty",       "address_changed", "key_unavailable",   "cancelled"};
inline constexpr std::string_view finish_reasons[] = {"stop", "length", "filter", "tool"};
/// The routes that an access token may call (section 9).
inline constexpr std::string_view token_routes[] = {
    "chat", "completions", "embeddings", "responses", "messages", "images", "speech", "rerank"};
/// No own header has one of these names; a star is any end. They frame the message or the
/// connection (RFC 9110, RFC 9112), are the program's own, carry a key, change the route that the
/// request is for or name the person behind it, or have a known gateway send the key elsewhere
/// (Helicone, "Gateway integration"; Portkey, "Headers").
inline constexpr std::string_view refused_headers[] = {"accept",
                                                       "accept-encoding",
                                                       "api-key",
                                                       "authorization",
                                                       "cf-connecting-ip*",
                                                       "client-ip",
                                                       "connection",
                                                       "content-*",
                                                       "cookie2",
                                                       "expect",
                                                       "fastly-client-ip",
                                                       "forwarded",
                                                       "helicone-fallbacks",
                                                       "helicone-openai-api-base",
                                                       "helicone-target-*",
                                                       "host",
                                                       "http2-settings",
                                                       "idempotency-key",
                                                       "if-*",
                                                       "keep-alive",
                                                       "proxy-*",
                                                       "range",
                                                       "remote-*",
                                                       "set-cookie*",
                                                       "te",
                                                       "trailer",
                                                       "transfer-encoding",
                                                       "true-client-ip",
                                                       "upgrade",
                                                       "via",
                                                       "x-api-key",
                                                       "x-client-ip",
                                                       "x-cluster-client-ip",
                                                       "x-forwarded-*",
                                                       "x-goog-api-key",
                                                       "x-http-method*",
                                                       "x-method-override",
                                                       "x-original-url",
                                                       "x-portkey-azure-*",
                                                       "x-portkey-config",
                                                       "x-portkey-custom-host",
                                                       "x-portkey-huggingface-*",
                                                       "x-real-ip",
                                                       "x-remote-*",
                                                       "x-rewrite-url",
                                                       "x-subscription-token"};
/// Never in an id that becomes part of a URL's path (section 4).
inline constexpr std::string_view not_in_path[] = {"\\", "%", "?", "#"};
} // namespace words

inline constexpr WordRule status{"status", "The status"_en, words::statuses};
inline constexpr WordRule health{"healthStatus", "The health"_en, words::health};
inline constexpr WordRule role{"history", "A role"_en, words::roles};
inline constexpr WordRule capability{"capabilities", "A capability"_en, words::capabilities};
inline constexpr WordRule token_route{"Routes", "A route"_en, words::token_routes};
inline constexpr WordRule image_type{"images", "The type of an image"_en, words::image_types};
inline constexpr WordRule avatar_type{"Avatar", "The type of a picture"_en, words::pictures};

/// Of a model that is added without any.
inline constexpr std::string_view default_capabilities = "generation,assistant";

/// The rule that a text breaks, as a sentence: "A name has at most 100 characters." Empty when the
/// text is good or empty. No sentence repeats the text.
Sentence error_in(const TextRule& rule, std::string_view text);

/// As error_in(), thrown: invalid_field.
void check(const TextRule& rule, std::string_view text);

/// The text trimmed and checked. Throws Refusal missing_field when nothing is left of a required
/// one.
std::string read(const TextRule& rule, const std::optional<std::string>& given);

/// The number itself. Throws Refusal invalid_field for one that is out of bounds (or is none).
int read(const NumberRule& rule, std::int64_t given);
double read(const NumberRule& rule, double given);

/// The word's place in its list. Throws Refusal missing_field or invalid_field, which names the
/// words there are.
std::size_t read(const WordRule& rule, const std::optional<std::string>& given);

/// The list with ", " between its words.
std::string joined(std::span<const std::string_view> words, std::string_view between = ", ");

/// The table as the pages and the tests take it.
struct SharedRules {
    /// Named as above; of a field its two bounds: "min_provider_name", "max_provider_name". Times
    /// in seconds.
    std::vector<std::pair<std::string, std::int64_t>> numbers;
    std::vector<std::pair<std::string, std::span<const std::string_view>>> words;
};
const SharedRules& shared_rules();

} // namespace usershell::rules
