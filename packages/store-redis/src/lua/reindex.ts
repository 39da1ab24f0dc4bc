import { script } from "../internal/run-script.ts";
import type { Script } from "../internal/run-script.ts";

/**
 * Replaces the index of a thread, where meta is what the new one was worked out for. KEYS: meta, views, tree, then pairs of a prepared
 * key and the key that it replaces. ARGV: number of fields of meta, then these and their values, '' for none; head or '' for a short thread; number of views,
 * then for each its name, its state and the revision of one whose row is gone; then the tree's names for the replaced keys.
 */
export const REINDEX: Script = script(`
local META, VIEWS, TREE = KEYS[1], KEYS[2], KEYS[3]
local at = 0
local function take()
  at = at + 1
  return ARGV[at]
end
for i = 1, tonumber(take()) do
  local field, value = take(), take()
  if (redis.call('HGET', META, field) or '') ~= value then return {'moved'} end
end
for i = 4, #KEYS, 2 do
  if redis.call('EXISTS', KEYS[i]) == 0 then return {'moved'} end
end
local expiry = redis.call('HGET', TREE, 'x')
redis.call('HLEN', VIEWS)

local head = take()
if head ~= '' then redis.call('HSET', META, 'h', head) end
for i = 1, tonumber(take()) do
  local view, state, revision = take(), take(), take()
  redis.call('HSET', VIEWS, 's:' .. view, state)
  redis.call('HSETNX', VIEWS, 'r:' .. view, revision)
end
for i = 4, #KEYS, 2 do
  redis.call('RENAME', KEYS[i], KEYS[i + 1])
  redis.call('PERSIST', KEYS[i + 1])
  redis.call('HSET', TREE, take(), '')
end
redis.call('HINCRBY', TREE, 'r', 1)
if expiry then
  for i = 2, #KEYS do redis.call('PEXPIREAT', KEYS[i], expiry) end
end
return {'ok'}
`);
