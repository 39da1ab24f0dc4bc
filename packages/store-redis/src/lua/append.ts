import { script } from "../internal/run-script.ts";
import type { Script } from "../internal/run-script.ts";
import { EPILOGUE, PROLOGUE } from "./prologue.ts";

/**
 * Writes a batch, all or nothing. KEYS from 10: the streams of references that it adds to.
 * ARGV: numbers of entries, of entries that move, of rows of the log, of streams, of rows of references and of arguments of facts; expected version,
 * position of the batch, head, what the thread was taken for and what it is from here on (`short` or `long`), a mark for each entry, how many suffixes were replaced; then the ids of those that
 * move, from position 0; the ids of the batch; the rows of the log with their stream ids, or the lines of a short thread; for each row of references its stream, key and text; the facts by key.
 * A thread that moves to its log brings all its entries. What the caller can work out is not worked out here.
 */
export const APPEND: Script = script(`${PROLOGUE}
local n, moved, logRows = tonumber(ARGV[args + 1]), tonumber(ARGV[args + 2]), tonumber(ARGV[args + 3])
local streams, rows, facts = tonumber(ARGV[args + 4]), tonumber(ARGV[args + 5]), tonumber(ARGV[args + 6])
local expected, position, head = ARGV[args + 7], tonumber(ARGV[args + 8]), ARGV[args + 9]
local was, becomes, marks = ARGV[args + 10], ARGV[args + 11], ARGV[args + 12]
local ids = args + 13 + moved
local entries = ids + n
local references = entries + 2 * logRows
local firstFact = references + 3 * rows + 1

if replaced ~= tonumber(ARGV[args + 13]) then return {'moved', version} end
local known = redis.call('HMGET', IDS, unpack(ARGV, ids + 1, ids + n))
for i = 1, n do
  if known[i] then return {'known', version, known} end
end
if expected == 'none' and exists then return {'conflict', version} end
if expected == 'exists' and not exists then return {'conflict', version} end
if tonumber(expected) and tonumber(expected) ~= version then return {'conflict', version} end
if position ~= version or isShort ~= (was == 'short') then return {'moved', version} end
redis.call('HLEN', FACTS)
-- Rows of another life would stop the index half way.
for i = 1, streams do
  if #redis.call('XRANGE', KEYS[9 + i], version + 1, '+', 'COUNT', 1) > 0 then return {'corrupt', 'index'} end
end

local at = clock()
local values = {}
local function value(i, text)
  values[2 * i - 1], values[2 * i] = ARGV[ids - moved + i], text
end
if becomes == 'short' then
  for i = 1, n do value(i, position + i - 1 .. ' ' .. ARGV[entries + i]) end
  redis.call('HSET', SHORT, unpack(values))
  redis.call('HSET', META, 'f', 1, 'v', version + n, 'z', ARGV[ids + n], 'u', at)
else
  for i = entries + 1, entries + 2 * logRows, 2 do
    redis.call('XADD', LOG, ARGV[i], 'd', ARGV[i + 1])
  end
  if isShort then
    local all = redis.call('HGETALL', SHORT)
    for i = 1, #all, 2 do
      if all[i + 1] == 's' then redis.call('HSET', KEYS[3], all[i], 's') end
    end
    redis.call('UNLINK', SHORT)
  end
  for i = 1, moved + n do
    -- To join a number to a text formats it as a fraction, which takes longer.
    local nth = string.format('%d', position - moved + i - 1)
    local mark = string.sub(marks, i, i)
    value(i, mark == ' ' and nth or nth .. mark)
  end
  redis.call('HSET', KEYS[3], unpack(values))
  for i = references + 1, firstFact - 1, 3 do
    redis.call('XADD', KEYS[9 + ARGV[i]], ARGV[i + 1], 'r', ARGV[i + 2])
  end
  for i = firstFact, firstFact + facts - 1, 1000 do
    redis.call('HSET', FACTS, unpack(ARGV, i, math.min(i + 999, firstFact + facts - 1)))
  end
  redis.call('HSET', META, 'f', 1, 'v', version + n, 'u', at, 'h', head, 'z', ARGV[ids + n], 'l', version + n, 'n', inRows + logRows)
end
${EPILOGUE}
return {'ok', version + n, now, expiry or '', isNew, at, meta[10] or ''}
`);
