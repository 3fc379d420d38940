#include "adapters/causes/causes.hpp"
#include "adapters/errors/provider_words.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace usershell::adapters {

namespace {

// In the order of their bytes. The common words of manuals, the words of error messages, and what
// providers call their parameters, codes and routes. Those of the table of causes come besides.
constexpr std::string_view list =
    R"(able abort about above absolute accept acceptance access_token_type_unsupported accessible
according across act action active actual actually adapter addition additional address adjust
admin administrator advertising affect afford after again against age agent agree agreement air
album algorithm alias alibaba allocate allocation allow alone along alongside alpha alphanumeric
already already_exists also alternate alternative although always american among amount and
and/or announced another anthropic anthropic-beta anthropic-version anymore anyone anything
api-version api/chat api/generate api/tags api_error api_key apikey appear applicable
application applied applies apply appropriate arbitrary architecture archive area aren't
argument army around array arrears art artifacts ascending ascii asia ask assertion assigned
assistant associated association assume at attached attachment attempt attribute audio audit
august australia authenticate authentication author authorize auto automatic automatically
availability average avoid award away azure back back-off backend backoff backup bad_request
badrequest band bar base base64 base64-encoded basic batch battle bearer became because become
before began begin beginning behalf behavior behaviour being believe belonging belongs below
best best_of beta better between big bill binary binding bit block blocklist blue board body
book boot born both bound brave break british broken bucket budget_tokens buffer bugs build
built burst business busy but bye byte cache california call caller came can can't cancel
cancelled cannot capabilities capability car care career carefully case cast catalog category
cause census center central century cerebras certain certificate championship change channel
character charge chat/completions chatcompletion checkpoint child children choice choose chosen
church city class claude clean clear client client_error close cloud cloudflare club cluster
code cohere cold collection college color column combination combined come command comment
commit common community company compared compatibility compatible compiled compiler complete
completely completion completion_tokens complex compliance component compress compute
concurrency concurrent condition config configuration configure congested congestion conjunction
connect connection connectivity consent consider consistent consisting consists console constant
constitutes construct construction consulted consumer contact contain container content-type
context_length continue control controlled convenience conversation conversion convert cookie
copied copies copy copyright core correct corrections correctly correspond cost could couldn't
council count countries county course court cpu crash create creation credit_limit criteria cuda
cup cursor custom customer daemon daily dash dashboard dashscope data_loss data_url database
date day deactivated deadline deal death debug december decimal decimal_above_max_value
decimal_below_min_value declared decline decode decommissioned decrease dedicated deepseek
default define definition degraded delete demon denied deny-listed department depend dependent
deploy deployment deprecated depth derived descending describe description design desired
despite destination destroy detailed details detect detection determine developed developer
development device diablo did didn't differ difference different digit dimension direct
direction directly director directory disconnect discussion disk display distribute distribution
district division do doc docker document documentation doesnt doing domain don't done double
down downgrade download driver drop dropped due dump duration during dynamic e-mail e.g each
earlier early easier east eastern easy echo edge edited editor education effect effective either
elected election element else email embargo embedding emitted empty enable encoded encoding
encountered encryption end engine england english ensure entire entries entry environment
equivalent error_finish escape especially established etc europe european even event ever every
everything exa exact exactly example except exception exclude exclusive excuse execute execution
exhausted exit expand expected experiencing experimental expires explanation explicit explicitly
export expression extended extension extent external extra extra_forbidden factors fail
failed_precondition failure false family fashion faster fatal father feature february feel fetch
few fewer field file filled film filter final find fine finish firecrawl firewall fireworks
first five fixed flag fleet flex float flow follow force fork form format former forward four
france free free-models-per-day free_tier french frequency frequency_penalty friend from full
fully function function_call functionality fund furnished further future game gateway gemini
general generally generate generatecontent generatecontentrequest.contents
generatecontentrequest.model generation generationconfig generative generic german germany get
getting github give given global go going gone good google got government gpu grammar granted
great greater greater_than_equal groq group guarantee guess guide guy had half hand handle
handshake happen happy hard hardware harmful hasn't hate haven't he head header healthcare
healthy hear held hello help hence her here hereby higher him himself hint his history hold home
hope host hour house how however html http human hurt i i'm i.e id idea identical identified
identify identity idle ids if ignore image image_url immediately implement implementation
implied implies import important inaccessible inappropriate incident include include_usage
inclusive incoming increase independent index india indicate individual inference infinity info
information initial initially inline inline_data input_image input_text input_tokens inside
install installation instance instead instructions insufficiently integer
integer_above_max_value integer_below_min_value intended interactive interface internal
internal_error internal_server_error internally internalservererror international internet
interpreted interval into introduced invalid_argument invalid_image_format invalid_json
invalid_model_error invalid_prompt invalid_request invalid_request_error invalid_type
invalid_value invitation invoice invoked island isn't iso issue it it's item itself jailbreak
january jina jinja job joined journal json json-formatted json_invalid json_object json_schema
jsonl july june just justification keep keep_alive kernel kib killed kind knew know known
kubernetes label lacks lake land language larger last late later latest latter launch law lead
league learn least leave led left legacy less_than_equal let letter level libraries library
license life lifetime like likely limitation line linked links linux list listen litellm
litellm.apiconnectionerror litellm.authenticationerror litellm.badrequesterror
litellm.budgetexceedederror litellm.contextwindowexceedederror litellm.internalservererror
litellm.notfounderror litellm.ratelimiterror litellm.timeout literal little live llama llama.cpp
local localhost locally located lock log logging logic login logit_bias logprobs longer look
lookup loop lora lot lower machine macros made main maintained maintenance major make malformed
man manage manager manipulate manually mapped mapping maps march margin marked mask master match
math matter max_completion_tokens max_input_tokens max_length max_model_len max_new_tokens
max_output_tokens max_tokens_to_sample maxoutputtokens may maybe me mean meaningful mechanism
media meets membership memory men merge message metadata metric mib middle-out might migration
military million mime mime_type min minimum minister minute mismatch missing_field
missing_required_parameter mistakes mistral modalities modality mode model.request moderation
modern modification modified modify module monitor moonshot morning most mostly mount move much
multi multimodal multiple music my myself national native near necessary need negative neither
never new newer newly next nginx nice nicer night node non non-empty non-streaming non-text none
normal normally north northern not-found not_found notation note notfound nothing notice
november now null num_ctx num_predict nvidia oauth object obsolete obtain occur occurred october
off office offline offset often oh old older ollama omega omitted on once one online onto oom
open openai openrouter operate operator option optional order organisation original originally
other otherwise our out out_of_range outage output_text output_tokens outside overdue overload
override overview own owner ownership package packet page pair panic parallel
parallel_tool_calls parameter parent park parse parser part particular particularly partition
party pass past patch path pattern pay pay-as-you-go payload payment_required_error peer pending
people per per-day per-minute perform performance period permission permissions_error permit
permitted perplexity persistent person phone physical pipeline pitch place placeholder plain
plan platform play please plus point political pool popular population port portions position
positive possible possibly post potentially power practice precedence preceding precision
prediction preferred prefix prepaid prepayment presence presence_penalty present preserved
president pretty prevent preview previous previous_response_id previously primary principal
print prior priority prism private probably problem procedure process produce product production
profanity professional profile program programmer progress prohibit project promote
prompt_tokens properly properties property protect protection protocol provide provider province
provision proxy publish pull purchase purpose put qualified quantized query queue quiet
quota_metric quote race radio railway ram random rate-limiting rate_limit rather raw reaching
read read-only ready real really reason reasoning_content reasoning_effort receive recent
recharge recitation recognized recommended record red redirect reduce refer reference referer
referred referrer refusal refuse regain regardless region regional register regular rejected
related relative release relevant remain remember remote remove renew repeat repetition_penalty
replace reply report repository represent representation representatives req/min request_error
request_forbidden requestlimit require requirements research reserved reset resolution resolved
resource resource_project_number respective respectively responding response response_format
rest restart restore restrict restriction result retain retried retries retrieve retry return
reverse revision right river road rock role room round route routine royal rpd rpm rule run
running safe safely safety_settings safetysettings said sale same sampled sampling san sanctions
save saw say scale schedule schema scheme school science scope screen script sdk search season
second secret section secure security see seen select selection self-harm sell send sensitive
sent separate september sequence series serper served server server_error server_overloaded
serverless service service_tier service_unavailable serving session setting setup several sexual
shall share she shift short shortly should show shown side sign signal signature siliconflow
similar similarly simple simply simultaneous since single site six skip slash slot small smaller
snapshot so social society software some someone something son song soon sorry sort source south
southern space spanner special species specific specification specifies specify speech speed
spii split sse stable standard standing start start-up startup stat state statement static
station status stay step still stop stop_sequence stopped stopsequences storage store story
stream stream_options streamgeneratecontent street string string_type structure students studio
stuff style subject subscribe subsequent subset substantial succeed success successful
successfully suffix suitable suite summary supplied supposed sure swap switch symbol symbolic
sync syntax system_instruction systeminstruction table take taken talk target task tavily team
teapot technical television tell temperature template temporarily temporary tenant term terminal
terminated territories territory test text textual thank that their them themselves then there
therefore these they they're thing think thinking.type thinkingbudget thinkingconfig third those
though thought thread three throttle through throughout thus tier time timeout timestamp title
today together told tonight too_many_requests_error too_many_tokens_error took tool tool_call_id
tool_calls tool_choice tool_result tool_use top top_k top_logprobs top_p topic total
total_tokens town toxic tpd tpm trace traceback track traditional traffic trailing training
transfer transform translation treated tree tries trigger true truncated try ttl turn two type
type.googleapis.com typically unable unchanged undeployed under underlying understand unhealthy
unimplemented union unique unit university unknown_parameter unless unlike unlimited unload
unpaid unprocessable unreachable unrecognized unrecoverable unsafe unsigned unspecified
unsupported unsupported_file unsupported_model unsupported_parameter unsupported_value until
unusable unused up upgrade upload upon upper upstream uri url useful user_id using usual usually
utf-8 utility uuid v1 v1/completions v1/embeddings v1/messages v1/models v1/v1/chat/completions
v1beta v1beta/models validate validation value value_error variable variant various vector
verbatim verbosity verification verify version very via video view viewer village violated
violating violation violence visible vision visit vllm voice void volume wait want war warm
warning was wasn't water way we we're we've web web_search_options webhook weight well went were
western what wheel when whenever where whether which while whitespace who whole whom whose why
wide width wildcard will win wish within without woman women won won't word work workspace world
worry would wouldn't write writer written wrong wrote xai year yes yet york you you're you've
yourself zero zhipu zone)";

using Words = std::unordered_set<std::string_view>;

void add_words(std::string_view text, Words& words) {
    while (!text.empty()) {
        const auto word = text.substr(0, text.find_first_of(" \n*|="));
        if (!word.empty()) words.insert(word);
        text.remove_prefix(std::min(word.size() + 1, text.size()));
    }
}

Words all_words() {
    Words found;
    add_words(list, found);
    for (const Cause& cause : causes()) add_words(cause.signs, found);
    return found;
}

/// Endings of grammar, and the letters of the word that each replaces.
constexpr std::pair<std::string_view, std::string_view> endings[] = {
    {"s", ""}, {"es", ""}, {"'s", ""}, {"d", ""}, {"ed", ""}, {"ing", ""}, {"ing", "e"}};

} // namespace

bool is_known_word(std::string_view word) {
    static const Words known_words = all_words();
    return known_words.contains(word) || std::ranges::any_of(endings, [&](const auto& ending) {
               const auto& [end, own] = ending;
               if (!word.ends_with(end) || word.size() < end.size() + 3) return false;
               const auto stem = word.substr(0, word.size() - end.size());
               return known_words.contains(std::string{stem}.append(own));
           });
}

} // namespace usershell::adapters
