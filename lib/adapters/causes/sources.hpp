// The documents that the table of causes is from, as of autumn 2026. For this folder.
#pragma once

#include <string_view>

namespace usershell::adapters::sources {

inline constexpr std::string_view anthropic = "docs.claude.com: Errors";
inline constexpr std::string_view azure =
    "learn.microsoft.com: Azure OpenAI REST API reference, Content filtering";
inline constexpr std::string_view brave = "api-dashboard.search.brave.com: Error codes";
inline constexpr std::string_view cerebras = "inference-docs.cerebras.ai: Error codes, Rate limits";
inline constexpr std::string_view cohere = "docs.cohere.com: Errors";
inline constexpr std::string_view dashscope = "alibabacloud.com: Model Studio, Error messages";
inline constexpr std::string_view deepseek = "api-docs.deepseek.com: Error codes";
inline constexpr std::string_view exa = "docs.exa.ai: Error codes";
inline constexpr std::string_view fireworks = "docs.fireworks.ai: Inference error codes";
inline constexpr std::string_view firecrawl = "docs.firecrawl.dev: Errors";
inline constexpr std::string_view gemini = "ai.google.dev: Troubleshooting; google.rpc.ErrorInfo";
inline constexpr std::string_view github = "docs.github.com: GitHub Models";
inline constexpr std::string_view groq = "console.groq.com: Errors, Rate limits, Model permissions";
inline constexpr std::string_view hugging_face =
    "huggingface.co: Inference Providers, Pricing and API";
inline constexpr std::string_view jina = "jina.ai: API, Errors";
inline constexpr std::string_view litellm = "docs.litellm.ai: Exception mapping, Budgets";
inline constexpr std::string_view llama_cpp = "github.com/ggml-org/llama.cpp: server, Errors";
inline constexpr std::string_view lm_studio = "lmstudio.ai: Developer docs";
inline constexpr std::string_view minimax = "platform.minimax.io: Error codes";
inline constexpr std::string_view mistral = "docs.mistral.ai: API, Errors";
inline constexpr std::string_view moonshot = "platform.moonshot.ai: Errors";
inline constexpr std::string_view new_api = "github.com/QuantumNous/new-api: error codes";
inline constexpr std::string_view nvidia = "docs.api.nvidia.com: NIM, Errors";
inline constexpr std::string_view ollama = "docs.ollama.com: Errors";
inline constexpr std::string_view openai = "platform.openai.com: Error codes";
inline constexpr std::string_view openrouter = "openrouter.ai: Errors and debugging";
inline constexpr std::string_view qianfan = "cloud.baidu.com: Qianfan, Error codes";
inline constexpr std::string_view serper = "serper.dev: Playground";
inline constexpr std::string_view siliconflow = "docs.siliconflow.com: Error codes";
inline constexpr std::string_view tavily = "docs.tavily.com: Search, Errors";
inline constexpr std::string_view tencent = "cloud.tencent.com: API 3.0, Common error codes";
inline constexpr std::string_view together = "docs.together.ai: Error codes";
inline constexpr std::string_view vllm = "docs.vllm.ai: OpenAI-compatible server";
inline constexpr std::string_view xai = "docs.x.ai: Debugging errors";
inline constexpr std::string_view zhipu = "docs.z.ai: Error codes";
inline constexpr std::string_view cloudflare = "developers.cloudflare.com: 1xxx and 5xx errors";
inline constexpr std::string_view rfc = "RFC 9110, RFC 6585, RFC 7725";

} // namespace usershell::adapters::sources
