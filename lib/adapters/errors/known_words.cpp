#include "adapters/errors/provider_words.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace usershell::adapters {

namespace {

// In the order of their bytes. The common words of manuals, the words of error messages, and what
// providers call their parameters, codes and routes. Every word of the table of causes is here.
constexpr std::string_view list =
    R"(a able
abort aborted about above absolute accept acceptance accepted accepts access
access_token_type_unsupported accessdenied accessdenied.unpurchased accessed accessible accessing
according account account_deactivated accounts across act action actions active actual actually
adapter add added adding addition additional address addresses adds adjust admin administrator
advertising affect affects afford after again against
age agent agree agreement air album alert algorithm
alias alibaba all allocate allocated allocation allocationquota.freetieronly allow allowed allowing
allows alone along alongside alpha alphanumeric
already already_exists also alternate alternating alternative although
always american among amount an and and/or announced another anthropic anthropic-beta
anthropic-version any anymore anyone anything api api-key api-version api/chat api/generate api/tags
api_error api_key api_key_expired api_key_http_referrer_blocked api_key_invalid
api_key_ip_address_blocked api_key_service_blocked apikey apis appear appeared appears applicable
application applications applied applies apply appropriate arbitrary architecture archive archives
are area areas aren't argument arguments army around array arrearage arrears art artifacts as
ascending ascii asia ask assertion assigned assistant associated association assume assumed at
attached attachment attempt attempts attribute attributes audio audit august australia auth
auth_error authenticate authenticated authentication authentication_error authenticationfailederror
authenticationrequirederror
authfailure
authfailure.secretidnotfound
authfailure.signaturefailure author authorization authorize authorized auto automatic automatically
availability available average avoid award awards away azure back back-off backend backoff backup
bad bad_request badrequest badrequest.toolarge balance band bar
base base64 base64-encoded based basic batch battle
be bearer became because become becomes been before began begin beginning begins behalf behavior
behaviour being believe belonging belongs below best best_of beta better between big bill billed
billing billing_disabled billing_error billing_hard_limit_reached billing_not_active binary binding
bit bits block blocked blocked_api_access blocklist blocks blue board body book boot born both bound
brave break british broken bucket budget budget_exceeded budget_tokens buffer bugs build building
builds built burst business busy but by bye byte bytes cache cached california call called caller
calling calls came can can't cancel canceled cancelled cannot cap capabilities capability capacity
capacity_exceeded car card care career carefully case cases cast catalog category cause causes
census center central century cerebras certain certificate certificates championship change changed
changes changing channel character characters charge charged chat chat/completions chatcompletion
check checked checking checkpoint checks child children choice choices choose chosen church city
class claude clean clear client client_error clients close closed cloud cloudflare club cluster
clusters code codes cohere cold collection college
color column columns combination combined come comes
coming command commands comment comments commit common community company compared compatibility
compatible compiled compiler complete completed completely completion completion_tokens completions
complex compliance component components compress
compute concurrency concurrent condition conditions config
configuration configurations configure configured congested congestion conjunction connect connected
connection connections connectivity consent consider considered consistent consisting consists
console constant constitutes construct construction consulted consumer consumer_suspended contact
contain contained container containing contains content content-type content_filter
content_policy_violation contents context context_length context_length_exceeded
contextwindowexceedederror continue continued continues control controlled controls convenience
conversation conversion convert converted converts cookie cookies copied copies copy copyright
copyrighted core correct corrected corrections correctly correspond corresponding corresponds cost
could couldn't council count counted countries country county course court cpu crash crashed create
created creates creating creation credential credentials credit credit_limit credits criteria cuda
cup current currently cursor custom customer daemon daily dash dashboard dashscope data
data_inspection_failed data_loss data_url database databases datainspectionfailed date day days
deactivated deadline deadline_exceeded deal dealing death debug december decimal
decimal_above_max_value decimal_below_min_value declared decline declined decode decoding
decommissioned decrease decreasing dedicated deepseek default
define defined defines defining definition definitions
degraded delete deleted demon denied deny-listed department depend dependent depending depends
depleted deploy deployed deployment deploymentnotfound deployments deprecated depth derived
descending describe described describes describing description descriptions design desired despite
destination destroy destroyed detailed details detect detected detection determine determined
determines developed developer development device devices diablo did didn't differ difference
differences different digit digits dimension dimensions direct direction directly director directory
disabled disconnect disconnected discussion disk display displayed displays distribute distributed
distribution district division do doc docker docs document documentation documented documents does
doesn't doesnt doing domain domains don't done double down downgrade download driver drop dropped
due dump duration during dynamic e-mail e.g each earlier early easier east eastern easy echo edge
edited editor education effect effective either elected election element elements else email embargo
embedding embeddings emitted empty enable enabled enables enabling encoded encoding encountered
encryption end endpoint endpoint's endpoints ends
engine engine_overloaded_error england english enough ensure
ensures entire entries entry environment environments equal equivalent error
error_finish errors escape escaping
especially established etc europe european even event events ever every everything exa exact exactly
example examples exceed exceed_context_size_error exceeded exceeded_current_quota_error
exceededbudget exceeds except exception exclude exclusive excuse execute executed executing
execution exhausted exist existing exists exit exits expand expected experiencing experimental
expired expires explanation explicit explicitly export exported exports expression expressions
extended extension extensions extent external extra extra_forbidden factors fail failed
failed_precondition fails failure false family fashion faster fatal father feature features february
feel fetch few fewer field fields file files filled film filter filtered filtering filters final
find finds fine finish firecrawl firewall fireworks first five fixed flag flagged flags fleet flex
float floating flow follow followed following follows for forbidden force forces fork form format
formats formed former forms forward found founded four france free free-models-per-day free_tier
french frequency frequency_penalty friend friends from full fully function function_call
functionality functions fund funds furnished further future
game games gated gateway gemini general
generally generate generatecontent generatecontentrequest.contents
generatecontentrequest.model generated generates generation
generationconfig generative generic german germany get gets getting github give given gives global
go going gone good google got government gpu grammar granted great greater greater_than_equal groq
group groups guarantee guardrail guess guide guidelines guy guys had half hand handle handled
handles handling handshake happen happened happens happy hard hardware harmful has hasn't hate have
haven't having he head header headers healthcare healthy hear heard held hello help hence her here
hereby high higher him himself hint his history hold holds home hope host hour hours house how
however html http https human hurt i i'm i.e id idea identical identified identify identifying
identity idle ids if ignore ignored image image_url images immediately implement implementation
implemented implied implies import important in inaccessible inactive inappropriate incident include
include_usage included includes including inclusive incoming incorrect increase increasing
independent index india indicate indicated indicates indicating individual inference infinity info
information initial initially inline inline_data input input_image input_text input_tokens inputs
inside install installation installed instance instances instead instructions insufficient
insufficient_balance insufficient_credits insufficient_quota insufficient_system_resource
insufficient_user_quota insufficientbalanceerror insufficiently integer integer_above_max_value
integer_below_min_value intended interactive interface interfaces internal internal_error
internal_server_error internalerror.timeout internally internalservererror international internet
interpreted interval into introduced invalid invalid_api_key invalid_argument
invalid_authentication_error invalid_image_format invalid_json invalid_model invalid_model_error
invalid_prompt invalid_request invalid_request_error invalid_type invalid_value invalidapikey
invitation invoice invoices invoked ip ip_not_authorized is island isn't iso issue issued issues it
it's item items its itself jailbreak january jina jinja job jobs joined journal json json-formatted
json_invalid json_object json_schema jsonl july june
just justification keep keep_alive kernel key
key_model_access_denied keys kib killed kind knew know known kubernetes label labels lacks lake land
language languages large larger last late later latest latter launch launched law lead leading
league leaked learn least leave led left legacy
length less less_than_equal let let's lets letter letters
level levels libraries library license life lifetime like likely limit limitation limited limiting
limits line lines linked links linux list listed listen listing lists litellm
litellm.apiconnectionerror litellm.authenticationerror litellm.badrequesterror
litellm.budgetexceedederror litellm.contextwindowexceedederror litellm.internalservererror
litellm.notfounderror litellm.ratelimiterror litellm.timeout literal little live living llama
llama.cpp load loaded loading local localhost locally located location locations lock locked locking
log logging logic login logit_bias logprobs long longer look looking looks lookup loop lora lot low
lower machine machines macros made main maintained maintenance major make makes making malformed man
manage managed management manager managing manipulate manually many mapped mapping maps march margin
marked mask master match matched matches matching math matter max max_completion_tokens
max_input_tokens max_length max_model_len max_new_tokens max_output_tokens max_seq_len max_tokens
max_tokens_to_sample maximum maxoutputtokens may maybe me mean meaning meaningful means mechanism
media meets member members membership memory men merge
message messages metadata method methods metric mib middle-out
might migration military million mime mime_type min
mind minimum minister minute minutes mismatch missing
missing_field missing_required_parameter mistakes mistral modalities modality mode model model's
model.accessdenied model.request model_decommissioned model_not_available model_not_found
model_not_supported model_permission_blocked_org model_permission_blocked_project
model_terms_required models moderation moderation_blocked modern modes modification modified modify
module modules monitor monitoring monthly moonshot more morning most mostly mount mounted move moved
much multi multimodal multiple music must my myself name named names naming national native near
necessary need needed needs negative neither network network/firewall network_error networking
networks never new newer newly next nginx nice nicer night no no_access no_more_credits node nodes
non non-empty non-streaming non-text none normal normally north northern not not-found not_found
not_found_error notation note notes notfound nothing notice november now null num_ctx num_predict
number nvidia oauth object objects obsolete obtain obtained obtaining occur occurred occurs october
of off office offline offset often oh old older ollama omega omitted on once one ones online only
onto oom open openai openai's opened opening openrouter opens operate operating operation
operationnotsupported operations operator option optional options or order organisation organization
organization_restricted organizations original originally other others otherwise our out
out_of_range outage output output_text output_tokens outputs outside over overdue overflow overload
overloaded overloaded_error override overview own owned owner ownership package packages packet page
pages pair pairs panic parallel parallel_tool_calls parameter parameters parent park parse parsed
parser parsing part particular particularly partition parts party pass passed passes passing
password past patch path paths pattern patterns pay pay-as-you-go payload payment payment_required
payment_required_error payments pays peer pending people per per-day per-minute perform performance
performed performs period permission permission_denied permission_denied_error permission_error
permissiondenied permissions permissions_error permit permitted perplexity persistent person persons
phone physical pipeline pitch place placed placeholder plain plan plan's platform platforms play
played playing please plus point pointed points policies policy political pool pools popular
population port portions ports position positive possible possibly post potentially power practice
pre-paid pre_consume_token_quota_failed precedence preceding precision prediction preferred prefix
prepaid prepayment presence presence_penalty present preserved president pretty prevent prevents
preview previous previous_response_id previously primary principal principals print printed printing
prints prior priority prism private probably problem problems procedure process processed processes
processing produce produced produces product production profanity professional profile profiles
program programmer programs progress prohibit prohibited prohibits project projects promote prompt
prompt_tokens prompted prompting prompts properly properties property protect protection protocol
protocols provide provided provider provider's providers provides providing province provision
provisioned proxy public publish published pull pulled pulling purchase purchased purpose purposes
put qualified quantized query queue queue_exceeded queued queueing quiet quota quota_limited
quota_metric quotas quote quotes race radio railway ram random range ranges rate rate-limited
rate-limiting rate_limit rate_limit_error rate_limit_exceeded rate_limit_reached_error rate_limited
rate_limits ratelimittriggerederror rather raw reached reaching read read-only reading reads ready
real real-name really reason reasoning reasoning_content reasoning_effort reasons receive received
receives receiving recent recharge recitation recognized recommended record recorded records red
redirect reduce refer reference referenced references referer referred referrer refers refusal
refuse refused regain regardless region regional regions register registered regular rejected
related relative release released releases relevant remain remaining remains remember remote remove
removed removes removing renew repeat repeated repetition_penalty replace replaced reply report
reported reports repository represent representation representatives represented representing
represents req/min request request_error request_forbidden request_quota_exceeded request_too_large
requested requestlimit requests requesttimeout require required requirements requires research
reserved reset resolution resolved resource resource_exhausted resource_project_number resources
respective respectively responding response
response_format responses responsibleaipolicyviolation rest restart
restarted restore restrict restricted restriction restrictions result resulting results retain
retained retried retries retrieve retrieved retry retrying return returned returning returns reverse
revision
revoked right rights risk river road rock role roles room round route routes routine routines
routing royal rpd rpm rule rules run running runs safe safely safety safety_settings safetysettings
said sale sales same sampled sampling san sanctions save saved saw say saying scale schedule schema
scheme school schools science scope scopes screen script scripts sdk search searched searches
searching season second seconds secret section sections secure security see seed seen select
selected selection self-harm sell send sending sends sensitive sensitive_words_detected sent
separate separated september sequence series serper served server server_error server_overloaded
serverless servers service service_disabled service_tier service_tier_capacity_exceeded
service_unavailable services serving session set sets
setting settings setup several sexual shall share
shared she shift short shortly should show shown shows side sign signal signals signature signed
siliconflow similar similarly simple simply simultaneous since single site six size sizes skip slash
slot slots small smaller snapshot so social society software some someone something son song songs
soon sorry sort source sources south southern space spaces spanner special species specific
specification specified specifies specify speech speed spend spending spii split sse stable standard
standing start start-up started starting starts startup stat state statement states static station
status stay step steps still stop stop_sequence stop_sequences stopped stops stopsequences storage
store stored stores story stream stream_options streamgeneratecontent streaming street string
string_above_max_length string_type strings structure structures students studio stuff style subject
subscribe subscription subscription_token_invalid subsequent subset substantial succeed succeeds
success successful successfully such sufficient suffix suitable suite summary supplied support
supported supporting supports supposed sure suspended swap switch symbol symbolic symbols sync
syntax system system_instruction systeminstruction systems table tables take taken takes taking talk
talking target targets task tasks tavily team team_model_access_denied teams teapot technical
television tell tells temperature template temporarily temporary tenant term terminal terminated
terms territories territory test testing tests text textual than thank thanks that the their them
themselves then there there's therefore these they they're thing things think thinking thinking.type
thinkingbudget thinkingconfig third this those though thought thread threads three threshold
throttle throttled throttling throttling.allocationquota throttling.ratequota through throughout
thus tier time timed timeout timeout_error times timestamp title titles to today together token
token_quota_exceeded tokens tokens_limit_reached told tonight too too_many_requests
too_many_requests_error too_many_tokens_error took tool
tool_call_id tool_call_ids tool_calls tool_choice
tool_result tool_use tools top top_k top_logprobs top_p topic topics total total_tokens town toxic
tpd tpm trace traceback track traditional traffic trailing training transfer transform translation
translations treated tree trial tries trigger triggered true truncated try trying ttl turn two type
type.googleapis.com types typically unable unauthenticated unauthorized unavailable
unavailable_error unchanged undeployed under underlying understand unexpected unhealthy
unimplemented union unique unit united units university unknown unknown_model unknown_parameter
unless unlike unlimited unload unloaded unpaid unprocessable unreachable unrecognized unrecoverable
unsafe unsigned unspecified unsupported unsupported_country_region_territory unsupported_file
unsupported_model unsupported_parameter unsupported_value until unusable unused up update updated
updates upgrade upload upon upper upstream uri url urls usage use used useful user user's user_id
username users uses using usual usually utf-8 utility uuid v1 v1/chat/completions v1/completions
v1/embeddings v1/messages v1/models v1/responses v1/v1/chat/completions v1beta v1beta/models valid
validate validation value value_error values variable variables variant variants various vector
verbatim verbosity verification verified verify version versions very via video view viewer village
violated violates violating violation violence virtual visible vision visit vllm voice void volume
volumes wait waiting want wanted wants war warm warning warnings was wasn't water way ways we we're
we've web web_search_options webhook weight well went were western what wheel when whenever where
whether which while whitespace who whole whom whose why
wide width wildcard will win window windows wish with
within without woman women won won't word words work worked working works workspace
workspace.accessdenied world worry would wouldn't write writer writes writing written wrong
wrong_api_key wrote x-api-key xai year years yes yet york you you're you've your yourself zero zhipu
zone zones)";

// NOLINTNEXTLINE(cert-err58-cpp): too little memory at the start ends the program
const std::unordered_set<std::string_view> known_words = [] {
    std::unordered_set<std::string_view> found;
    for (std::size_t begin = 0; begin < list.size();) {
        const auto end = std::min(list.find_first_of(" \n", begin), list.size());
        found.insert(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return found;
}();

} // namespace

bool is_known_word(std::string_view word) { return known_words.contains(word); }

} // namespace usershell::adapters
