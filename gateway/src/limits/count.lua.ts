/**
 * Counts calls of one subject against up to three counters, all or none per call (D2): the subject's window, the window
 * of each client address, and the month.
 *
 * A counter is a hash with the calls of each gateway process and their `total`. A gateway reports its own calls as an
 * absolute number, so its next call repairs the counter after a lost reply, a repeated command or a flushed Redis.
 * Redis' clock decides the window, so gateways with wrong clocks agree. The sequence detects commands that a frozen
 * Redis runs late.
 *
 * KEYS  1 window of the subject · 2 month · 3 epoch · 4… window of each address
 * ARGV  1 the request as JSON, see `ScriptRequest`
 * Returns { 'counted', now, total of the subject, total of the month, calls corrected, totals of the addresses, calls
 * granted of each run }; totals exclude the calls of this request. Otherwise it writes nothing and returns:
 * { 'window', the current window, now } if the request is for another window
 * { 'epoch', the current epoch or '' } if it differs from the epoch in the request
 * { 'lost' } if Redis lacks calls of this gateway that it has acknowledged
 * { 'unseeded' } if Redis has no counter for the month
 * { 'stale' } if Redis has run a later request of this gateway
 */
export const countCalls = `
local request = cjson.decode(ARGV[1])
local me, month = request.gateway, request.month
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window = now - now % request.windowMs
if request.window ~= window then return { 'window', window, now } end
if not request.isForced then
  local epoch = redis.call('GET', KEYS[3]) or ''
  if epoch == '' or epoch ~= request.epoch then return { 'epoch', epoch } end
end

-- A counter of the window, with this gateway's calls replaced by the number it reports.
local isLost = false
local function read(key, report, held)
  local own, acknowledged = report[1], report[2]
  local mine = tonumber(held[2] or 0)
  if mine < acknowledged then isLost = true end
  return { key = key, isNew = not held[1], held = mine, own = own, total = tonumber(held[1] or 0) - mine + own }
end
local held = redis.call('HMGET', KEYS[1], 'total', me, 'sequence:' .. me)
if tonumber(held[3] or 0) >= request.sequence then return { 'stale' } end
local subject = read(KEYS[1], request.subject, held)
local addresses = {}
for index, report in ipairs(request.addresses) do
  addresses[index] = read(KEYS[index + 3], report, redis.call('HMGET', KEYS[index + 3], 'total', me))
end
if isLost and not request.isForced then return { 'lost' } end

local corrected = 0
if month then
  held = redis.call('HMGET', KEYS[2], 'total', me, 'seeded')
  if not held[3] and not month.recorded and not request.isForced then return { 'unseeded' } end
  month.total = tonumber(held[1] or 0) - tonumber(held[2] or 0) + month.own
end
if month and month.recorded then
  -- The recorded usage fills in gateways that Redis does not know, and replaces the calls of those that have ended.
  for gateway, calls in pairs(month.recorded) do
    if gateway ~= me then redis.call('HSETNX', KEYS[2], gateway, calls) end
  end
  for gateway, calls in pairs(month.gone) do
    corrected = corrected + math.abs(calls - tonumber(redis.call('HGET', KEYS[2], gateway) or 0))
    redis.call('HSET', KEYS[2], gateway, calls)
  end
  redis.call('HSET', KEYS[2], 'seeded', 1)
  month.total = month.own
  local fields = redis.call('HGETALL', KEYS[2])
  for index = 1, #fields, 2 do
    local field = fields[index]
    if field ~= me and field ~= 'total' and field ~= 'seeded' then month.total = month.total + fields[index + 1] end
  end
end

local totals, grants = {}, {}
local counted = { 'counted', now, subject.total, month and month.total or 0, corrected, totals, grants }
for index, address in ipairs(addresses) do totals[index] = address.total end

-- Calls are granted in the order of their arrival.
for index, run in ipairs(request.runs) do
  local address, calls, counts = addresses[run[1]], run[2], run[3] == 1
  local granted = math.min(calls, request.cap - subject.total, request.cap - address.total)
  if counts then granted = math.min(granted, month.limit - month.total) end
  granted = math.max(0, granted)
  subject.own, subject.total = subject.own + granted, subject.total + granted
  address.own, address.total = address.own + granted, address.total + granted
  if counts then month.own, month.total = month.own + granted, month.total + granted end
  grants[index] = granted
end

redis.call('HSET', KEYS[1], 'total', subject.total, me, subject.own, 'sequence:' .. me, request.sequence)
if subject.isNew then redis.call('PEXPIRE', KEYS[1], request.windowMs * 2) end
for _, address in ipairs(addresses) do
  if address.own ~= address.held then
    redis.call('HSET', address.key, 'total', address.total, me, address.own)
    if address.isNew then redis.call('PEXPIRE', address.key, request.windowMs * 2) end
  end
end
if month then
  redis.call('HSET', KEYS[2], 'total', month.total, me, month.own)
  -- 40 days: longer than the month.
  if not held[1] then redis.call('EXPIRE', KEYS[2], 3456000) end
end
return counted
`;

/** The argument of the script. */
export interface ScriptRequest {
  gateway: string;
  /** Increases with every request of the process. */
  sequence: number;
  windowMs: number;
  /** The epoch in which the gateway knows the counters to be complete, or ''. */
  epoch: string;
  /** The window that the counts and the keys belong to. */
  window: number;
  /** The gateway's own calls in the window, and how many of them Redis has acknowledged. */
  subject: [own: number, acknowledged: number];
  addresses: [own: number, acknowledged: number][];
  /** Maximum calls per window. */
  cap: number;
  month?:
    | {
        own: number;
        /** Maximum calls per month. */
        limit: number;
        /** Recorded calls by gateway; fills in gateways that Redis does not know. */
        recorded?: Record<string, number> | undefined;
        /** Recorded calls of stopped gateways; set together with `recorded`. */
        gone?: Record<string, number> | undefined;
      }
    | undefined;
  /** Consecutive calls of one address: its number, the number of calls, 1 if they count towards the month. */
  runs: [address: number, calls: number, counts: 0 | 1][];
  /** Counts even if Redis has lost counts or does not know the month. */
  isForced: boolean;
}
