/** Reads a count from a field: a number of at most 15 digits, 0 where there is none, nil where it is anything else. */
export const COUNT = `
local function count(field)
  if not field then return 0 end
  if #field > 15 or not string.find(field, '^%d+$') then return nil end
  return tonumber(field)
end
`;

/**
 * How every script on a thread begins: it reads, checks, and answers where something forbids the write. Nothing is written before the last check, and a
 * read of a key of another type is an error, so that nothing is ever half written.
 *
 * KEYS 1 to 9: meta, log, ids, facts, overlays, views, state, the hash of a short thread, tree. Those that follow are the script's own, then all other keys
 * of the tree where they expire.
 * ARGV 1 to 6: ttl in milliseconds or '', revision of the tree, id of the last entry that this writer has seen or '', its position, how many suffixes had been
 * replaced then, number of keys that the tree does not know yet; then their names. The script's own follow from args + 1.
 */
export const PROLOGUE: string = `
local redis, KEYS, ARGV = redis, KEYS, ARGV
local META, LOG, IDS, FACTS = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local OVERLAYS, VIEWS, STATE, SHORT, TREE = KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local ttl, revision, seen, seenAt, fresh = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[6])
local args = 6 + fresh
${COUNT}
local meta = redis.call('HMGET', META, 'v', 'b', 'k', 'd', 'o', 'l', 'n', 'e', 'u', 'w')
if meta[4] then return {'deleted'} end
local exists, version = meta[1] ~= false, count(meta[1])
local shared, summaries, orders = count(meta[2]), count(meta[3]), count(meta[5])
local inLog, inRows, replaced, updated = count(meta[6]), count(meta[7]), count(meta[8]), count(meta[9])
if not (version and shared and summaries and orders and inLog and inRows and replaced and updated) then return {'corrupt', 'meta'} end
-- A short thread has neither a log nor a map of ids: its hash is both.
local isShort = inLog == 0
if (isShort and shared > 0) or (not isShort and inLog ~= version) then return {'corrupt', 'meta'} end
if redis.call('XLEN', LOG) ~= inRows then return {'corrupt', 'log'} end
if #redis.call('XRANGE', LOG, version + 1, '+', 'COUNT', 1) > 0 then return {'corrupt', 'log'} end
local unused = redis.call('HLEN', SHORT)
if isShort then
  unused = redis.call('HLEN', IDS)
  IDS = SHORT
end
if unused > 0 or redis.call('HLEN', IDS) ~= version + summaries then return {'corrupt', 'ids'} end
if seen ~= '' and replaced < tonumber(ARGV[5]) then return {'rewound', version} end
if seen ~= '' and replaced == tonumber(ARGV[5]) then
  local at = redis.call('HGET', IDS, seen)
  if not at or string.match(at, '^%d*') ~= seenAt then return {'rewound', version} end
end
local tree = redis.call('HMGET', TREE, 'r', 'x')
if not (count(tree[1]) and count(tree[2])) then return {'corrupt', 'tree'} end
if ttl ~= '' and (tree[1] or '0') ~= revision then return {'tree'} end
-- What a thread says of when its log changed never falls.
local function clock()
  local time = redis.call('TIME')
  return string.format('%.0f', math.max(time[1] * 1000 + math.floor(time[2] / 1000), updated))
end
`;

/** How every script on a thread ends: new keys are made known to the tree, and all keys expire at one moment. */
export const EPILOGUE = `
for i = 1, fresh do redis.call('HSETNX', TREE, ARGV[6 + i], '') end
local now = tree[1] or '0'
if fresh > 0 then now = redis.call('HINCRBY', TREE, 'r', 1) end
local expiry = tree[2]
if ttl ~= '' then
  local time = redis.call('TIME')
  expiry = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + ttl)
  redis.call('HSET', TREE, 'x', expiry)
end
if expiry then
  redis.call('HSET', META, 'x', expiry)
  for i = 1, #KEYS do redis.call('PEXPIREAT', KEYS[i], expiry) end
end
local isNew = exists and 0 or 1
if not exists then
  local began = redis.call('HGET', META, 'u') or clock()
  redis.call('HSETNX', META, 'u', began)
  redis.call('HSETNX', META, 'c', began)
end
`;
