import { script } from "../internal/run-script.ts";
import type { Script } from "../internal/run-script.ts";
import { COUNT } from "./prologue.ts";

/**
 * Begins a fork with keys that were prepared under other names. KEYS: meta of the parent, meta of the fork, tree, then pairs of a prepared key and
 * its name in the fork. ARGV: revision of the tree, version, head or '' for a short thread, id of the last entry, ancestry, number of summaries, the
 * tree's name for the fork's meta, a name for this very fork, by which a retry is known, how many suffixes of the parent were replaced and its ancestry; then the tree's names for the fork's other keys.
 */
export const FORK_COMMIT: Script = script(`
${COUNT}local PARENT, META, TREE = KEYS[1], KEYS[2], KEYS[3]
local version = ARGV[2]
local parent = redis.call('HMGET', PARENT, 'v', 'd', 'e', 'a', 't', 'w', 'y')
local tree = redis.call('HMGET', TREE, 'r', 'x')
if not (count(parent[1]) and count(tree[1]) and count(tree[2])) then return {'corrupt', 'tree'} end
local isDone = redis.call('HGET', META, 'g') == ARGV[8]
if not isDone then
  if parent[2] or redis.call('HEXISTS', META, 'd') == 1 then return {'deleted'} end
  -- Its end was replaced since, or that of a thread whose log it shares.
  if (parent[3] or '') ~= ARGV[9] or (parent[4] or '') ~= ARGV[10] then return {'moved'} end
  if not parent[1] or tonumber(parent[1]) < tonumber(version) then return {'missing'} end
  if redis.call('EXISTS', META) == 1 then return {'conflict', redis.call('HGET', META, 'v')} end
  if (tree[1] or '0') ~= ARGV[1] then return {'tree'} end
  for i = 4, #KEYS, 2 do
    if redis.call('EXISTS', KEYS[i]) == 0 then return {'unprepared'} end
    if redis.call('EXISTS', KEYS[i + 1]) == 1 then return {'corrupt', 'fork'} end
  end
end
if isDone then
  -- A fork that is there already is written to once more, so that replicas are waited for.
  redis.call('HSET', META, 'g', ARGV[8])
  return {'ok', version}
end

redis.call('HSET', META, 'f', 1, 'v', version, 'z', ARGV[4], 'k', ARGV[6], 'o', ARGV[6], 'g', ARGV[8])
local time = redis.call('TIME')
local began = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('HSET', META, 'c', began, 'u', began)
for i, field in ipairs({'t', 'w', 'y'}) do
  if parent[4 + i] then redis.call('HSET', META, field, parent[4 + i]) end
end
-- A short one has entries of its own.
if ARGV[3] ~= '' then redis.call('HSET', META, 'b', version, 'l', version, 'h', ARGV[3], 'a', ARGV[5]) end
redis.call('HSET', TREE, ARGV[7], ARGV[5])
for i = 4, #KEYS, 2 do
  redis.call('RENAME', KEYS[i], KEYS[i + 1])
  redis.call('PERSIST', KEYS[i + 1])
end
for i = 11, #ARGV do redis.call('HSET', TREE, ARGV[i], '') end
redis.call('HINCRBY', TREE, 'r', 1)
if tree[2] then
  for i = 2, #KEYS do redis.call('PEXPIREAT', KEYS[i], tree[2]) end
end
return {'ok', version, began, parent[6] or ''}
`);
