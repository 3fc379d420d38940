// What a tool's body may contain when its token is limited: lists of all members that are known to
// name neither a model nor an object stored at the provider, and of those that do. What is in no
// list is refused. Pure. Sources: OpenAI API reference, "Chat", "Completions", "Embeddings",
// "Responses", "Images", "Create speech"; Claude API reference, "Messages", "Tools"; and of what
// others add, the references of OpenRouter, vLLM, llama.cpp, Ollama, LM Studio, Groq, Mistral, xAI,
// DeepSeek, Moonshot, Zhipu, DashScope, MiniMax, Together, Fireworks, Cerebras, SiliconFlow and
// Perplexity, all of November 2026.
#pragma once

#include "adapters/relay.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::execute {

/// The kinds of objects in a body, by what they may contain.
enum class ObjectKind : std::uint8_t {
    top,
    content, ///< a message, a part of it, a call of a tool, a tool's result
    item,    ///< content that Responses may take by its id alone
    media,   ///< an image, sound or file of a message
    tool,
    container, ///< where a tool runs
    choice,    ///< of a tool
    format,    ///< of the answer
    options,   ///< of reasoning, streams, searches …
    labels,    ///< texts and numbers under names of the person's own
    text,      ///< texts and numbers: no object
    data,      ///< the person's own: not looked into
};

/// What a member names, if its value is not an empty one.
enum class Naming : std::uint8_t {
    nothing,
    model,
    stored,      ///< an object at the provider
    stored_text, ///< the same by a text; an object is looked into
    address,     ///< a web or data URL names nothing, another one a stored object
    later,       ///< stored: asks for an answer that comes after the call
};

struct BodyMember {
    ObjectKind in;
    std::string_view name; ///< folded
    ObjectKind value;      ///< what the objects of its value are
    Naming naming;
    unsigned routes;  ///< a bit for each RelayRoute
    std::size_t mark; ///< a number of its own below max_body_members
};
inline constexpr std::size_t max_body_members = 1024;

/// Null: that place has no such member. `name`: folded.
const BodyMember* find_body_member(ObjectKind in, RelayRoute route, std::string_view name);

/// A tool's type that names no model, and no stored object but in its members. Types of Anthropic
/// end in a date.
bool is_known_tool(std::string_view type);
/// The first characters of a string of JSON, or of the first in a list, decoded up to what is no
/// text.
std::string beginning_of(std::string_view value);
bool is_web_address(std::string_view text);
/// Of an address of the web. Null: it has none that every parser reads in one way.
std::optional<std::string> host_of(std::string_view address);

/// A role that some provider takes for a stored object is none of these.
bool is_known_role(std::string_view role);
/// Does a text that begins so name an object at some provider: "fileid://…"? In the place of a text
/// or of base64. Addresses of the web and of what people have elsewhere name none.
bool names_by_text(std::string_view beginning);
/// Does a provider offer this voice to everybody? The name of a voice that a person has made has an
/// id in it, or says so: "speech:ada:…", "voice_clone_2024…".
bool is_offered_voice(std::string_view name);

/// Types whose tools have schemas of the person's own; one without a type is such a tool, too.
bool has_own_schema(std::string_view type);

/// An item of a response. One with an id is read from the provider's store, unless it is whole.
struct ItemType {
    std::string_view name;
    std::string_view whole[2]; ///< one of these members makes it whole
};
/// Null: not known; a reference is such a type. "": without a type, which is a message.
const ItemType* find_item_type(std::string_view type);

} // namespace usershell::execute
