import { script } from "../internal/run-script.ts";
import type { Script } from "../internal/run-script.ts";
import { EPILOGUE, PROLOGUE } from "./prologue.ts";

/**
 * Replaces the end of a log, where thread and summaries are those that the change was worked out for. KEYS from 10: what was replaced and the operations, the name that
 * the log gets, the streams of references of the thread, then metas of forks that share of the log, then logs that nobody needs any more.
 * ARGV: revision of the tree that the change was worked out for, expected number of entries, of replacements, of summaries, and the last order of a commit; how many entries stay; which replacement this is, and the
 * replacements as JSON; version of the thread in entries, id of its last entry, head or '' for a short thread, ancestry; what the operation is kept as; how many operations
 * are remembered; \`keep\` for a log that others still need; the tree's name for meta; numbers of: ids that go, entries that went by id (pairs), facts that go, facts (pairs), summaries that go, states of
 * views (pairs), new ids, lines or rows (pairs), streams, rows of references, forks (pairs), logs; then these. New ids come with their values, streams and logs by the tree's names.
 */
export const REPLACE: Script = script(`${PROLOGUE}
local nextArg = args
local function take()
  nextArg = nextArg + 1
  return ARGV[nextArg]
end
local known, entries, replacements, ofViews, order = take(), take(), take(), take(), take()
local kept, nth, all = tonumber(take()), tonumber(take()), take()
local n, last, head, ancestry = tonumber(take()), take(), take(), take()
local operation, hash, most, keeps, name = take(), take(), tonumber(take()), take(), take()
local gone, old, lost, facts, removed = tonumber(take()), tonumber(take()), tonumber(take()), tonumber(take()), tonumber(take())
local states, ids, rows = tonumber(take()), tonumber(take()), tonumber(take())
local streams, references, forks, drops = tonumber(take()), tonumber(take()), tonumber(take()), tonumber(take())
if not exists then return {'missing'} end
if tostring(version) ~= entries or tostring(replaced) ~= replacements then return {'moved', version} end
if tostring(summaries) ~= ofViews or tostring(orders) ~= order then return {'moved', version} end
if (tree[1] or '0') ~= known then return {'moved', version} end
redis.call('HLEN', FACTS)
redis.call('HLEN', OVERLAYS)
redis.call('HLEN', KEYS[10])
local views = redis.call('HGETALL', VIEWS)
for i = 1, streams do redis.call('XLEN', KEYS[11 + i]) end
for i = 1, forks do redis.call('HGET', KEYS[11 + streams + i], 'v') end
for i = 1, drops do redis.call('XLEN', KEYS[11 + streams + forks + i]) end
if keeps == 'keep' and redis.call('XLEN', KEYS[11]) > 0 then return {'corrupt', 'log'} end

redis.call('HSET', KEYS[10], 'i:' .. operation, nth .. ' ' .. hash, 'n:' .. nth, operation)
for i = 1, gone do redis.call('HDEL', IDS, take()) end
for i = 1, old do
  local id = take()
  redis.call('HSET', KEYS[10], id, take())
end
local forgotten = redis.call('HGET', KEYS[10], 'n:' .. (nth - most))
if forgotten then redis.call('HDEL', KEYS[10], 'n:' .. (nth - most), 'i:' .. forgotten) end
for i = 1, lost do redis.call('HDEL', FACTS, take()) end
for i = 1, facts do
  local key = take()
  redis.call('HSET', FACTS, key, take())
end
for i = 1, removed do
  local id = take()
  redis.call('HDEL', IDS, id)
  redis.call('HDEL', OVERLAYS, id)
end
for i = 1, #views, 2 do
  if string.sub(views[i], 1, 2) == 'r:' then redis.call('HINCRBY', VIEWS, views[i], 1) end
end
for i = 1, states do
  local view = take()
  redis.call('HSET', VIEWS, 's:' .. view, take())
end
redis.call('HSET', META, 'k', summaries - removed)
for i = 1, ids do
  local id = take()
  redis.call('HSET', IDS, id, take())
end
if not isShort then
  if keeps == 'keep' then
    if inRows > 0 then redis.call('RENAME', LOG, KEYS[11]) end
  else
    redis.call('UNLINK', LOG)
  end
end
for i = 1, rows do
  local at = take()
  redis.call('XADD', LOG, at, 'd', take())
end
for i = 1, streams do
  local streamName = take()
  local cut = redis.call('XRANGE', KEYS[11 + i], kept + 1, '+')
  local top = redis.call('XREVRANGE', KEYS[11 + i], kept, '-', 'COUNT', 1)
  if #top == 0 then
    redis.call('UNLINK', KEYS[11 + i])
    -- Its being empty is no loss.
    redis.call('HSET', TREE, streamName, 'e')
  elseif #cut > 0 then
    for j = 1, #cut do redis.call('XDEL', KEYS[11 + i], cut[j][1]) end
    local isSet = redis.pcall('XSETID', KEYS[11 + i], top[1][1])
    if isSet.err then
      -- A server that takes ids only upwards.
      local stays = redis.call('XRANGE', KEYS[11 + i], '-', kept)
      redis.call('UNLINK', KEYS[11 + i])
      for j = 1, #stays do redis.call('XADD', KEYS[11 + i], stays[j][1], 'r', stays[j][2][2]) end
    end
  end
end
for i = 1, references do
  local stream, at = take(), take()
  redis.call('XADD', KEYS[11 + stream], at, 'r', take())
end
for i = 1, forks do
  local forkName, shares = take(), take()
  redis.call('HSET', KEYS[11 + streams + i], 'a', shares)
  redis.call('HSET', TREE, forkName, shares)
end
for i = 1, drops do
  redis.call('UNLINK', KEYS[11 + streams + forks + i])
  redis.call('HDEL', TREE, take())
end
local at = clock()
redis.call('HSET', META, 'f', 1, 'v', n, 'z', last, 'e', nth, 'j', all, 'u', at)
if isShort or n == 0 then
  redis.call('HDEL', META, 'b', 'l', 'n', 'h', 'a')
  redis.call('HSET', TREE, name, '[]')
else
  redis.call('HSET', META, 'b', kept, 'l', n, 'n', rows, 'h', head, 'a', ancestry)
  redis.call('HSET', TREE, name, ancestry)
end
redis.call('HINCRBY', TREE, 'r', 1)
tree = redis.call('HMGET', TREE, 'r', 'x')
${EPILOGUE}
return {'ok', n, now, expiry or '', isNew, at, meta[10] or ''}
`);
