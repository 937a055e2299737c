/**
 * Takes calls from up to three counters at once, all or nothing per call (D2): the tenant's minute, the minute of tenant
 * and address, the month. Redis' own clock decides the minute, so gateways with wrong clocks agree.
 *
 * KEYS  1 minute of the tenant (hash w, n) · 2 minute of tenant and address · 3 month (number)
 * ARGV  1 calls wanted · 2 limit a minute · 3 burst · 4 calls a month, -1 without limit · 5 1 when the month is asked for
 *       6 the month's calls so far when known, else -1 · 7 calls to add to the month that were served without asking
 *       8 1 when these calls count towards the month, else 0
 * Returns { granted, tenant used before, address used before, month used before, end of the minute, now }, or { -1 } when
 * the month is unknown to Redis and must be given.
 */
export const takeCalls = `
local now = tonumber(redis.call('TIME')[1])
local window = now - now % 60
local function used(key)
  local held = redis.call('HMGET', key, 'w', 'n')
  if tonumber(held[1] or -1) == window then return tonumber(held[2]) end
  return 0
end
local asked = ARGV[5] == '1'
local month = 0
if asked then
  local held = redis.call('GET', KEYS[3])
  if held then
    month = tonumber(held)
  else
    if tonumber(ARGV[6]) < 0 then return { -1 } end
    month = tonumber(ARGV[6])
  end
  month = math.max(0, month + tonumber(ARGV[7]))
end
local cap = tonumber(ARGV[2]) + tonumber(ARGV[3])
local tenant, address = used(KEYS[1]), used(KEYS[2])
local room = math.min(cap - tenant, cap - address)
if asked and tonumber(ARGV[4]) >= 0 then room = math.min(room, tonumber(ARGV[4]) - month) end
local granted = math.max(0, math.min(tonumber(ARGV[1]), room))
if granted > 0 then
  redis.call('HSET', KEYS[1], 'w', window, 'n', tenant + granted)
  redis.call('EXPIRE', KEYS[1], 120)
  redis.call('HSET', KEYS[2], 'w', window, 'n', address + granted)
  redis.call('EXPIRE', KEYS[2], 120)
end
if asked then redis.call('SET', KEYS[3], month + granted * tonumber(ARGV[8]), 'EX', 3456000) end
return { granted, tenant, address, month, window + 60, now }
`;

/** Gives calls of a month back: KEYS 1 month · ARGV 1 calls. A month that Redis has forgotten needs nothing. */
export const returnCalls = `
local held = redis.call('GET', KEYS[1])
if not held then return 0 end
return redis.call('DECRBY', KEYS[1], math.min(tonumber(held), tonumber(ARGV[1])))
`;
