import { script } from "../internal/run-script.ts";
import type { Script } from "../internal/run-script.ts";
import { EPILOGUE, PROLOGUE } from "./prologue.ts";

/**
 * Writes a batch, all or nothing. KEYS from 9: the streams of references that it adds to.
 * ARGV: numbers of entries, streams, rows of references, arguments of facts and counts; expected version, position of the batch, head; then the
 * ids, the ids with their positions, the rows of the log with their stream ids, the counts beside them ('' for none; left out where there are none at all), for
 * each row of references its stream, key and text, and the facts by key. What the caller can work out is not worked out here.
 */
export const APPEND: Script = script(`${PROLOGUE}
local n, streams, rows = tonumber(ARGV[args + 1]), tonumber(ARGV[args + 2]), tonumber(ARGV[args + 3])
local facts, counted = tonumber(ARGV[args + 4]), tonumber(ARGV[args + 5])
local expected, position, head = ARGV[args + 6], tonumber(ARGV[args + 7]), ARGV[args + 8]
local ids = args + 8
local places = ids + n
local entries = places + 2 * n
local counts = entries + 2 * n
local references = counts + counted
local firstFact = references + 3 * rows + 1

local known = redis.call('HMGET', IDS, unpack(ARGV, ids + 1, ids + n))
for i = 1, n do
  if known[i] then return {'known', version, known} end
end
if expected == 'none' and exists then return {'conflict', version} end
if expected == 'exists' and not exists then return {'conflict', version} end
if tonumber(expected) and tonumber(expected) ~= version then return {'conflict', version} end
if position ~= version then return {'moved', version} end
redis.call('HLEN', FACTS)
-- Rows of another life would stop the index half way.
for i = 1, streams do
  if #redis.call('XRANGE', KEYS[8 + i], version + 1, '+', 'COUNT', 1) > 0 then return {'corrupt', 'index'} end
end

for i = 1, n do
  local id, json, count = ARGV[entries + 2 * i - 1], ARGV[entries + 2 * i], ''
  if counted > 0 then count = ARGV[counts + i] end
  if count == '' then
    redis.call('XADD', LOG, id, 'd', json)
  else
    redis.call('XADD', LOG, id, 'd', json, 't', count)
  end
end
redis.call('HSET', IDS, unpack(ARGV, places + 1, places + 2 * n))
for at = references + 1, firstFact - 1, 3 do
  redis.call('XADD', KEYS[8 + ARGV[at]], ARGV[at + 1], 'r', ARGV[at + 2])
end
for at = firstFact, firstFact + facts - 1, 1000 do
  redis.call('HSET', FACTS, unpack(ARGV, at, math.min(at + 999, firstFact + facts - 1)))
end
redis.call('HSET', META, 'f', 1, 'v', version + n, 'h', head, 'z', ARGV[ids + n])
${EPILOGUE}
return {'ok', version + n, now, expiry, isNew}
`);
