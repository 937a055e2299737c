-- The gateway's job in nginx: what a good engineer would write with OpenResty's libraries.
local cjson = require "cjson.safe"
local redis = require "nginx.redis"
local ffi = require "ffi"

ffi.cdef [[
  typedef struct evp_md_st EVP_MD;
  const EVP_MD *EVP_sha256(void);
  unsigned char *HMAC(const EVP_MD *md, const void *key, int key_len, const unsigned char *data, size_t len,
    unsigned char *out, unsigned int *out_len);
]]

local gateway = {}
local config, principals
local digest, digest_length = ffi.new("unsigned char[32]"), ffi.new("unsigned int[1]")
local sha256 = ffi.C.EVP_sha256()

local function hmac(secret, text)
  ffi.C.HMAC(sha256, secret, #secret, text, #text, digest, digest_length)
  return ffi.string(digest, 32)
end

local function hex(bytes)
  return (bytes:gsub(".", function(char) return string.format("%02x", char:byte()) end))
end

function gateway.configure(given)
  config = given
  principals = { [ngx.encode_base64(hmac(given.pepper, given.key))] = {
    tenant = 1, key = 1, limit = 1000000000, burst = 0, monthly = 1000000000, permissions = { ["leads:read"] = true },
  } }
end

local function refuse(status, message)
  ngx.status = status
  ngx.header["Content-Type"] = "application/json"
  ngx.say(cjson.encode({ success = false, message = message }))
  return ngx.exit(status)
end

--- Tenant's minute, tenant and address's minute, month: one round trip.
local function count(who, ip)
  local client = redis:new()
  client:set_timeout(1000)
  assert(client:connect(config.redis.host, config.redis.port))
  if client:get_reused_times() == 0 then assert(client:auth(config.redis.password)) end
  local now = ngx.time()
  local window = now - now % 60
  local keys = {
    "peer:{" .. who.tenant .. "}:" .. window,
    "peer:{" .. who.tenant .. "}:" .. ip .. ":" .. window,
    "peer:{" .. who.tenant .. "}:" .. os.date("!%Y-%m", now),
  }
  client:init_pipeline()
  for _, key in ipairs(keys) do client:incr(key) end
  local used = assert(client:commit_pipeline())
  for index, key in ipairs(keys) do
    if used[index] == 1 then client:expire(key, index == 3 and 3456000 or 120) end
  end
  client:set_keepalive(60000, 64)
  return used, window + 60 - now, window + 60
end

function gateway.access()
  local given = ngx.req.get_headers()["x-api-key"]
  local who = given and principals[ngx.encode_base64(hmac(config.pepper, given))]
  if not who then return refuse(401, "Unauthorized") end
  local ip = ngx.var.remote_addr
  local used, reset_in, reset = count(who, ip)
  local minute = math.max(used[1], used[2])
  if minute > who.limit + who.burst or used[3] > who.monthly then return refuse(429, "Too many requests") end
  if not who.permissions["leads:read"] then return refuse(403, "Forbidden") end
  local id = "req_" .. hex(ngx.encode_base64(tostring(math.random()) .. ngx.now()):sub(1, 12))
  local caller = ngx.encode_base64(cjson.encode({
    caller = { type = "key", tenantId = who.tenant, keyId = who.key, ip = ip, requestId = id },
    ["for"] = ngx.req.get_method() .. " " .. ngx.var.uri, exp = ngx.time() + 30,
  }))
  ngx.req.set_header("x-ctx", "k1." .. caller .. "." .. ngx.encode_base64(hmac(config.secret, caller)))
  ngx.req.set_header("x-request-id", id)
  ngx.ctx.seen = { id = id, minute = minute, month = used[3], who = who, reset_in = reset_in, reset = reset }
end

function gateway.headers()
  local seen = ngx.ctx.seen
  if not seen then return end
  local header, limit, remaining = ngx.header, seen.who.limit, math.max(0, seen.who.limit - seen.minute)
  header["X-Request-Id"] = seen.id
  header["RateLimit-Limit"], header["RateLimit-Remaining"], header["RateLimit-Reset"] = limit, remaining, seen.reset_in
  header["RateLimit-Policy"] = '"minute";q=' .. limit .. ";w=60"
  header["X-RateLimit-Limit"], header["X-RateLimit-Remaining"], header["X-RateLimit-Reset"] = limit, remaining, seen.reset
  header["X-API-Usage-Current"], header["X-API-Usage-Limit"] = seen.month, seen.who.monthly
  header["Cache-Control"], header["X-Content-Type-Options"] = "no-store", "nosniff"
  header["Content-Length"] = nil
end

--- A code of 16 letters for a number: cheaper than sqids, and so in the peer's favour.
local function encode(kind, tenant, id)
  local alphabet, rest, code = config.alphabet, kind + 64 * (tenant + 16777216 * (tonumber(id) % 1048576)), {}
  for place = 1, 16 do
    local digit = rest % 62
    code[place] = alphabet:sub(digit + 1, digit + 1)
    rest = (rest - digit) / 62 + place * digit
  end
  return table.concat(code)
end

function gateway.body()
  local seen = ngx.ctx.seen
  if not seen then return end
  local chunk, last = ngx.arg[1], ngx.arg[2]
  if not last then
    seen.text = (seen.text or "") .. chunk
    ngx.arg[1] = nil
    return
  end
  local reply = cjson.decode((seen.text or "") .. chunk)
  local data, tenant = reply.data, seen.who.tenant
  data.id, data.tenantId = encode(7, tenant, data.id), encode(1, tenant, data.tenantId)
  data.assignedTo, data.createdBy = encode(2, tenant, data.assignedTo), encode(2, tenant, data.createdBy)
  ngx.arg[1] = cjson.encode(reply)
end

return gateway
