#include "execute/relay/body_members.hpp"

#include "base/ascii.hpp"
#include "base/json.hpp"
#include "domain/address/url.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace usershell::execute {
namespace {

using enum ObjectKind;

constexpr unsigned chat = bit_of(RelayRoute::chat);
constexpr unsigned completions = bit_of(RelayRoute::completions);
constexpr unsigned embeddings = bit_of(RelayRoute::embeddings);
constexpr unsigned responses = bit_of(RelayRoute::responses) | bit_of(RelayRoute::compact);
constexpr unsigned messages = bit_of(RelayRoute::messages) | bit_of(RelayRoute::count_tokens);
constexpr unsigned images = bit_of(RelayRoute::images);
constexpr unsigned speech = bit_of(RelayRoute::speech);
constexpr unsigned rerank = bit_of(RelayRoute::rerank);
constexpr unsigned written = chat | completions; ///< routes that others than OpenAI extend
constexpr unsigned any = written | embeddings | responses | messages | images | speech | rerank;

struct MemberList {
    ObjectKind in;
    unsigned routes;
    ObjectKind value;
    Naming naming;
    std::string_view names; ///< with a blank between two
};

constexpr auto top_members = std::to_array<MemberList>({
    {top, any, text, Naming::nothing, "model stream user service_tier temperature top_p top_k"},
    {top, any, data, Naming::model,
     "models fallbacks route preset plugins engine deployment draft_model safety_model lora "
     "lora_adapters adapter_id lora_request compound_custom fallback_models"},
    {top, any, data, Naming::stored, "container conversation previous_response_id"},
    {top, any & ~images, data, Naming::later, "background deferred"},
    {top, any, data, Naming::stored, "cached_content id_slot slot_id data_sources file_ids"},
    {top, any, labels, Naming::nothing, "metadata client_metadata"},
    // OpenAI
    {top, chat | messages, content, Naming::nothing, "messages"},
    {top, chat | responses | messages, tool, Naming::nothing, "tools"},
    {top, chat | responses | messages, choice, Naming::nothing, "tool_choice function_call"},
    {top, chat, tool, Naming::nothing, "functions"},
    {top, chat, media, Naming::nothing, "audio"},
    {top, chat, content, Naming::nothing, "prediction"},
    {top, written, format, Naming::nothing, "response_format"},
    {top, written, labels, Naming::nothing, "logit_bias"},
    {top, written | responses, options, Naming::nothing, "stream_options"},
    {top, written, text, Naming::nothing, "max_tokens max_completion_tokens n"},
    {top, written | responses, text, Naming::nothing,
     "stop presence_penalty frequency_penalty seed logprobs "
     "top_logprobs store verbosity reasoning_effort parallel_tool_calls modalities "
     "prompt_cache_key prompt_cache_retention safety_identifier"},
    {top, completions, text, Naming::nothing, "prompt suffix echo best_of"},
    {top, embeddings, content, Naming::nothing, "input"},
    {top, embeddings, text, Naming::nothing,
     "dimensions encoding_format input_type truncate truncation task late_chunking normalized "
     "normalize embedding_type output_dtype output_dimension priority add_special_tokens "
     "truncate_prompt_tokens"},
    {top, responses, item, Naming::nothing, "input"},
    {top, responses, data, Naming::stored, "prompt"},
    {top, responses, text, Naming::nothing,
     "instructions include max_output_tokens max_tool_calls truncation"},
    {top, responses, format, Naming::nothing, "text"},
    {top, responses | messages, options, Naming::nothing, "context_management"},
    {top, any, options, Naming::nothing, "reasoning thinking"},
    {top, chat, options, Naming::nothing, "web_search_options"},
    // Anthropic
    {top, messages, content, Naming::nothing, "system"},
    {top, messages, text, Naming::nothing, "max_tokens stop_sequences inference_geo speed"},
    {top, messages, format, Naming::nothing, "output_format output_config"},
    {top, chat | messages, options, Naming::nothing, "cache_control"},
    {top, messages, tool, Naming::nothing, "mcp_servers"},
    // Images, speech and rankings, of all
    {top, images, text, Naming::nothing,
     "prompt negative_prompt n size quality style response_format background moderation "
     "output_format output_compression partial_images seed steps guidance guidance_scale cfg "
     "num_inference_steps batch_size image_size aspect_ratio resolution width height "
     "disable_safety_checker prompt_enhancement watermark_enabled user_id request_id"},
    {top, images, media, Naming::address, "image image_url"},
    {top, images, data, Naming::model, "image_loras loras"},
    {top, speech, text, Naming::nothing,
     "input instructions response_format speed stream_format language sample_rate "
     "response_encoding encode_format volume gain watermark_enabled user_id request_id"},
    {top, speech, media, Naming::nothing, "voice"},
    {top, rerank, text, Naming::nothing,
     "query top_n return_documents max_chunks_per_doc overlap_tokens max_tokens_per_doc "
     "rank_fields return_raw_scores instruction truncate_prompt_tokens priority user_id "
     "request_id"},
    {top, rerank, data, Naming::nothing, "documents"},
    // Others
    {top, written, text, Naming::nothing,
     "min_p top_a min_tokens repetition_penalty length_penalty typical_p tfs_z mirostat "
     "mirostat_tau mirostat_eta mirostat_mode dry_multiplier dry_base dry_allowed_length "
     "dry_penalty_last_n dry_sequence_breakers xtc_probability xtc_threshold dynatemp_range "
     "dynatemp_exponent repeat_penalty repeat_last_n penalize_nl ignore_eos ignore_eos_token "
     "stop_token_ids skip_special_tokens spaces_between_special_tokens include_stop_str_in_output "
     "bad_words allowed_token_ids use_beam_search early_stopping prompt_logprobs "
     "return_tokens_as_token_ids return_token_ids add_generation_prompt continue_final_message "
     "add_special_tokens chat_template guided_regex guided_choice guided_grammar "
     "guided_decoding_backend guided_whitespace_pattern grammar grammar_lazy priority request_id "
     "truncate_prompt_tokens cache_prompt n_predict n_keep n_probs samplers timings_per_token "
     "return_progress t_max_predict_ms reasoning_in_content thinking_forced_open"},
    {top, written, labels, Naming::nothing, "chat_template_kwargs mm_processor_kwargs"},
    {top, written, data, Naming::nothing, "documents guided_json json_schema structured_outputs"},
    {top, written | responses, text, Naming::nothing,
     "include_reasoning reasoning_format reasoning_budget reasoning_split thinking_budget "
     "enable_thinking clear_thinking preserve_thinking disable_reasoning think safe_prompt "
     "random_seed prompt_mode transforms session_id keep_alive ttl format raw_output do_sample "
     "tool_stream user_id enable_cache enable_search search_mode return_images "
     "return_related_questions return_citations search_domain_filter search_recency_filter "
     "search_after_date_filter search_before_date_filter last_updated_after_filter "
     "last_updated_before_filter disable_search enable_search_classifier language_preference "
     "citation_options disable_tool_validation context_length_exceeded_behavior "
     "prompt_truncate_len perf_metrics_in_response prompt_cache_isolation_key "
     "prompt_cache_max_len vl_high_resolution_images result_format incremental_output "
     "mask_sensitive_info"},
    {top, written | responses, options, Naming::nothing,
     "provider usage search_parameters search_settings search_options options image_config"},
});

constexpr auto inner_members = std::to_array<MemberList>({
    {content, any, text, Naming::nothing,
     "type role id name status phase text refusal reasoning_content signature thinking data title "
     "context call_id tool_call_id tool_use_id tool_name namespace stdout stderr error_code "
     "error_message encrypted_content encrypted_stdout encrypted_index page_age retrieved_at "
     "file_type lines server_name server_label reason approval_request_id execution code result "
     "queries document_name image_base64 media_type detail format thought_signature approve"},
    {content, any, content, Naming::nothing,
     "content tool_calls function_call function custom output summary images reasoning "
     "reasoning_details outcome"},
    {content, any, data, Naming::nothing,
     "arguments parsed_arguments parsed input annotations citations logprobs action actions "
     "operation results outputs error caller provider_specific_fields extra_content "
     "acknowledged_safety_checks pending_safety_checks"},
    {content, any, options, Naming::nothing, "cache_control"},
    {content, any, media, Naming::nothing, "audio file input_audio"},
    {content, any, media, Naming::address,
     "image_url video_url audio_url document_url image_uri file_url url image"},
    {content, any, media, Naming::nothing, "source"},
    {content, any, text, Naming::nothing, "file_data filename transcript"},
    {content, any, tool, Naming::nothing, "tools"},
    {content, any, container, Naming::stored_text, "environment"},
    {content, any, data, Naming::stored,
     "file_id file_ids container_id vector_store_id vector_store_ids skill_id"},
    {media, any, text, Naming::nothing,
     "type data detail format filename file_data media_type transcript expires_at mime_type"},
    {media, any, content, Naming::nothing, "content"},
    {media, any, media, Naming::nothing, "voice"},
    {media, any, text, Naming::address, "url"},
    {media, any, data, Naming::stored, "id file_id file_ids container_id"},
    {tool, any, text, Naming::nothing,
     "type name description strict title defer_loading allowed_callers eager_input_streaming "
     "max_uses allowed_domains blocked_domains search_context_size search_content_types "
     "external_web_access display_width display_height display_width_px display_height_px "
     "display_number max_characters max_content_tokens server_label server_url server_description "
     "authorization authorization_token url mcp_server_name max_num_results execution enable_zoom "
     "use_cache"},
    {tool, any, tool, Naming::nothing, "function custom tools"},
    {tool, any, data, Naming::nothing,
     "parameters input_schema output_schema format input_examples annotations"},
    {tool, any, labels, Naming::nothing, "headers"},
    {tool, any, options, Naming::nothing,
     "cache_control user_location filters citations ranking_options"},
    {tool, any, data, Naming::nothing,
     "require_approval allowed_tools default_config configs tool_configuration"},
    {tool, any, container, Naming::stored_text, "container"},
    {tool, any, container, Naming::nothing, "environment"},
    {tool, any, data, Naming::model, "model models"},
    {tool, any, data, Naming::stored,
     "file_id file_ids vector_store_id vector_store_ids container_id skill_id skills knowledge_id "
     "collection_ids"},
    {container, any, text, Naming::nothing, "type memory_limit"},
    {container, any, options, Naming::nothing, "network_policy"},
    {container, any, data, Naming::stored, "id file_id file_ids container_id skills skill_id"},
    {choice, any, text, Naming::nothing, "type name mode server_label disable_parallel_tool_use"},
    {choice, any, choice, Naming::nothing, "function custom tools allowed_tools"},
    {format, any, text, Naming::nothing, "type name description strict verbosity effort"},
    {format, any, data, Naming::nothing, "schema structures triggers"},
    {format, any, format, Naming::nothing, "format json_schema"},
    {format, any, options, Naming::nothing, "task_budget"},
    {options, any, text, Naming::nothing,
     "type effort summary generate_summary display format context ttl mode include instructions "
     "search_context_size city country region timezone exclude_tools clear_tool_inputs "
     "allowed_domains blocked_domains excluded_domains included_domains domains order only ignore "
     "data_collection sort by quantizations from_date to_date language ranker aspect_ratio "
     "image_size scope key value"},
    {options, any, options, Naming::nothing,
     "user_location approximate edits trigger keep clear_at_least max_price sources filters "
     "search_context"},
});

/// Server-side tools of Responses, Chat and Messages. Not in it: those that call another model
/// (image_generation, advisor, openrouter:…).
constexpr auto known_tools = std::to_array<std::string_view>({"function",
                                                              "custom",
                                                              "namespace",
                                                              "tool_search",
                                                              "web_search",
                                                              "web_search_preview",
                                                              "file_search",
                                                              "code_interpreter",
                                                              "computer_use_preview",
                                                              "computer",
                                                              "local_shell",
                                                              "shell",
                                                              "apply_patch",
                                                              "mcp",
                                                              "url",
                                                              "builtin_function",
                                                              "browser_search",
                                                              "x_search",
                                                              "web_fetch",
                                                              "bash",
                                                              "text_editor",
                                                              "memory",
                                                              "code_execution",
                                                              "tool_search_tool_regex",
                                                              "tool_search_tool_bm25",
                                                              "mcp_toolset"});
constexpr auto tools_with_schema =
    std::to_array<std::string_view>({"", "function", "custom", "tool_search"});

constexpr std::size_t max_beginning = 256;
constexpr std::size_t max_scheme = 8;
constexpr std::size_t min_id = 8; ///< characters of a voice that a person has made

/// OpenAI's, and those of MiniMax that play a part.
constexpr auto roles = std::to_array<std::string_view>(
    {"system", "developer", "user", "assistant", "tool", "function", "user_system", "group",
     "sample_message_user", "sample_message_ai"});

/// Of addresses at no provider of models.
constexpr auto schemes = std::to_array<std::string_view>(
    {"http",  "https", "ws",      "wss",  "ftp",    "sftp",     "file",
     "ssh",   "git",   "svn",     "ldap", "smb",    "postgres", "postgresql",
     "mysql", "redis", "mongodb", "amqp", "vscode", "chrome",   "about"});

constexpr auto item_types = std::to_array<ItemType>({
    {"", {"content", ""}},
    {"message", {"content", ""}},
    {"reasoning", {"encrypted_content", "content"}},
    {"function_call", {"arguments", ""}},
    {"function_call_output", {"output", ""}},
    {"custom_tool_call", {"input", ""}},
    {"custom_tool_call_output", {"output", ""}},
    {"local_shell_call", {"action", ""}},
    {"local_shell_call_output", {"output", ""}},
    {"shell_call", {"action", ""}},
    {"shell_call_output", {"output", ""}},
    {"apply_patch_call", {"operation", ""}},
    {"apply_patch_call_output", {"status", ""}},
    {"tool_search_call", {"arguments", ""}},
    {"tool_search_output", {"tools", ""}},
    {"web_search_call", {"action", ""}},
    {"file_search_call", {"results", ""}},
    {"computer_call", {"action", "actions"}},
    {"computer_call_output", {"output", ""}},
    {"code_interpreter_call", {"outputs", ""}},
    {"image_generation_call", {"result", ""}},
    {"mcp_list_tools", {"tools", ""}},
    {"mcp_call", {"arguments", ""}},
    {"mcp_approval_request", {"arguments", ""}},
    {"mcp_approval_response", {"approve", ""}},
    {"compaction", {"encrypted_content", ""}},
});

bool is_before(const BodyMember& one, const BodyMember& other) {
    return std::pair{one.in, one.name} < std::pair{other.in, other.name};
}

/// Sorted by place and name.
std::vector<BodyMember> all_members() {
    std::vector<BodyMember> all;
    const auto add = [&](const MemberList& list) {
        for (std::string_view rest = list.names; !rest.empty();) {
            const auto end = std::min(rest.find(' '), rest.size());
            all.push_back({list.in, rest.substr(0, end), list.value, list.naming, list.routes, 0});
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    };
    std::ranges::for_each(top_members, add);
    std::ranges::for_each(inner_members, add);
    std::ranges::sort(all, is_before);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].mark = i;
    return all;
}

/// Without the date of Anthropic's types: "bash_20250124", and of OpenAI's previews.
std::string_view undated(std::string_view type) {
    const auto end = type.find_last_not_of("0123456789_");
    return end == std::string_view::npos ? type : type.substr(0, end + 1);
}

} // namespace

const BodyMember* find_body_member(ObjectKind in, RelayRoute route, std::string_view name) {
    static const std::vector<BodyMember> members = all_members();
    if (in == item) in = content;
    const BodyMember wanted{in, name, text, Naming::nothing, 0, 0};
    // Not the one of std::ranges, whose result clang 14 cannot take apart.
    const auto [first, last] = std::equal_range(members.begin(), members.end(), wanted, is_before);
    const auto found = std::find_if(
        first, last, [&](const BodyMember& each) { return (each.routes & bit_of(route)) != 0; });
    return found == last ? nullptr : &*found;
}

bool is_known_tool(std::string_view type) {
    return std::ranges::find(known_tools, undated(type)) != known_tools.end() ||
           has_own_schema(type);
}

std::string beginning_of(std::string_view value) {
    value.remove_prefix(std::min(value.find('"'), value.size())); // perhaps the first of a list
    for (auto size = std::min(value.size(), max_beginning); size > 1; --size) {
        const std::string_view part = value.substr(0, size);
        if (auto text = json_string(part)) return *std::move(text);
        if (auto text = json_string(std::string{part} + '"')) return *std::move(text);
    }
    return {};
}

std::optional<std::string> host_of(std::string_view address) {
    address.remove_prefix(std::min(address.find("://") + 3, address.size()));
    const auto host = split_port(address.substr(0, address.find_first_of("/?#"))).host;
    return is_visible_ascii(host) ? canonical_host(host) : std::nullopt;
}

bool is_web_address(std::string_view text) {
    const std::string beginning = lower_ascii(text.substr(0, max_scheme));
    return beginning.starts_with("https://") || beginning.starts_with("http://");
}

bool is_known_role(std::string_view role) { return std::ranges::find(roles, role) != roles.end(); }

bool names_by_text(std::string_view beginning) {
    const std::string text = lower_ascii(trim_blanks(beginning));
    const auto end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+.-_");
    if (end == 0 || end == std::string::npos || !text.substr(end).starts_with("://")) return false;
    const std::string_view word = std::string_view{text}.substr(0, text.find_first_of("+:"));
    return std::ranges::find(schemes, word) == schemes.end();
}

bool is_offered_voice(std::string_view name) {
    const std::string voice = lower_ascii(name);
    const auto colon = voice.find(':');
    const bool is_made =
        voice.starts_with("voice_") || voice.starts_with("voice-") ||
        voice.find("clone") != std::string::npos || voice.find("-vc-") != std::string::npos ||
        (colon != std::string::npos &&
         (voice.find('/') >= colon || voice.find(':', colon + 1) != std::string::npos));
    if (is_made) return false;
    std::size_t letters = 0;
    std::size_t digits = 0;
    for (const char c : voice) { // an id is a long word with digits
        const bool is_in_word = is_alphanumeric(c);
        letters = is_in_word ? letters + 1 : 0;
        digits = is_in_word ? digits + (is_digit(c) ? 1 : 0) : 0;
        if (letters >= min_id && digits > 3) return false;
    }
    return true;
}

bool has_own_schema(std::string_view type) {
    return std::ranges::find(tools_with_schema, type) != tools_with_schema.end();
}

const ItemType* find_item_type(std::string_view type) {
    const auto* const found = std::ranges::find(item_types, type, &ItemType::name);
    return found == item_types.end() ? nullptr : found;
}

} // namespace usershell::execute
