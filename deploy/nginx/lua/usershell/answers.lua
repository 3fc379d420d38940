-- Answers of a program that nginx passes on. Any other is none: the client gets 502, and nginx's error log the reason
-- (docs/decisions/0014). The build makes the lists of statuses of the table in lib/web/status.hpp.
local statuses = require("usershell.statuses")

local function any() return true end

local function exactly(word)
    return function(value) return value == word end
end

local function like(pattern)
    return function(value) return value:find(pattern) end
end

local function one_of(words)
    local known = {}
    for _, word in ipairs(words) do known[word] = true end
    return function(value) return known[value] end
end

local attributes = "; Path=/; Secure; HttpOnly; SameSite=Lax"

local function is_notice(cookie)
    return cookie:find("^__Host%-usershell%-notice=[a-z-]*" .. attributes .. "; Max%-Age=%d+$")
end

local function is_own_again(cookie)
    local own = (ngx.var.usershell_session_cookie or ""):gsub("; $", "") .. attributes
    return cookie == own or cookie:sub(1, #own) == own and cookie:find("^; Max%-Age=%d+$", #own + 1)
end

-- What is true of a header's value, by its name in small letters.
local headers = {
    -- Pages and JSON of usershell-manage: no cookie of another program, no type that runs as a script, no other site.
    pages = {
        allow = any, connection = any, ["cache-control"] = any, ["content-disposition"] = any, ["content-length"] = any,
        ["content-type"] = one_of({
            "application/json; charset=utf-8", "text/html; charset=utf-8", "image/svg+xml; charset=utf-8", "image/png",
            "image/jpeg",
        }),
        etag = any,
        location = function(value) return value == "/" or value:find("^/%w[%w%%/?=&._~#-]*$") end,
        ["retry-after"] = any,
        ["set-cookie"] = function(value) return is_notice(value) or is_own_again(value) end,
        ["transfer-encoding"] = any, vary = any,
    },
    -- The playground's calls by usershell-execute. nginx makes each header itself (http.conf, execute.conf).
    calls = { connection = any, ["content-length"] = any, ["content-type"] = any, ["transfer-encoding"] = any },
    -- Calls of tools by usershell-execute, below /v1.
    tools = {
        ["accept-encoding"] = exactly("gzip, deflate, zstd"), allow = like("^[A-Z, ]+$"), ["cache-control"] = exactly("no-store"),
        connection = any, ["content-length"] = any,
        ["content-type"] = one_of({
            "application/json; charset=utf-8", "text/event-stream; charset=utf-8",
            -- Sound, as the program knows it (tests/rules).
            "audio/mpeg", "audio/wav", "audio/ogg", "audio/opus", "audio/aac", "audio/flac", "audio/webm", "audio/pcm",
        }),
        ["retry-after"] = like("^%d%d?%d?%d?%d?%d?$"), ["transfer-encoding"] = any, ["x-should-retry"] = exactly("false"),
    },
}

local function is_limit(value)
    return #value <= 40 and value:find("^%d[%d.:hmsdTZ+-]*$")
end

setmetatable(headers.tools, {
    __index = function(_, name)
        return (name:find("^x%-ratelimit%-[a-z-]+$") or name:find("^anthropic%-ratelimit%-[a-z-]+$")) and is_limit
    end,
})

-- What no answer of this kind has; nil: nothing.
local function fault(kind)
    if not statuses[kind][ngx.status] then return "status " .. ngx.status end
    for name, value in pairs(ngx.resp.get_headers(0, true)) do
        local holds = headers[kind][name:lower()]
        for _, each in ipairs(type(value) == "table" and value or { value }) do
            if not (holds and holds(each)) then return "header " .. name end
        end
    end
end

-- 599 is no answer: the location's error_page makes it a 502.
local function is_refused(program, kind)
    local found = fault(kind)
    if not found then return false end
    ngx.log(ngx.ERR, program, " gave an answer that it never gives: ", found)
    ngx.exit(599)
    return true
end

local function make_frame()
    ngx.status = ngx.status -- the words behind the number are nginx's
    ngx.header["Content-Length"] = nil -- nginx frames what comes
end

local answers = {}

function answers.of_pages()
    is_refused("usershell-manage", "pages")
end

function answers.of_calls()
    if not is_refused("usershell-execute", "calls") then make_frame() end
end

-- Counts the bad tokens of an address, besides.
function answers.of_tools()
    if is_refused("usershell-execute", "tools") then return end
    if ngx.status == 401 and ngx.var.usershell_stranger == "" then
        ngx.shared.usershell_bad_tokens:incr(ngx.var.usershell_client, 1, 0, 60)
    end
    make_frame()
end

return answers
