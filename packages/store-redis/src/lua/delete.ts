import { script } from "../internal/run-script.ts";
import type { Script } from "../internal/run-script.ts";
import { COUNT } from "./prologue.ts";

/**
 * Deletes a thread and leaves a tombstone. KEYS: meta, tree, then the keys that go. ARGV: revision of the tree, the tree's name for meta,
 * then the names that the tree forgets.
 */
export const DELETE: Script = script(`
${COUNT}local META, TREE = KEYS[1], KEYS[2]
local tree = redis.call('HMGET', TREE, 'r', 'x')
if not (count(tree[1]) and count(tree[2])) then return {'corrupt', 'tree'} end
local isDeleted = redis.call('HEXISTS', META, 'd') == 1
if not isDeleted and (tree[1] or '0') ~= ARGV[1] then return {'tree'} end
-- First, so that a server whose memory is full can delete.
redis.call('UNLINK', META)
-- A tombstone that is there already is written once more, so that replicas are waited for.
redis.call('HSET', META, 'd', 1)
if isDeleted then
  if tree[2] then redis.call('PEXPIREAT', META, tree[2]) end
  return {'ok'}
end
for i = 3, #KEYS do redis.call('UNLINK', KEYS[i]) end
redis.call('HSET', TREE, ARGV[2], 'd')
redis.call('HINCRBY', TREE, 'r', 1)
for i = 3, #ARGV do redis.call('HDEL', TREE, ARGV[i]) end
if tree[2] then
  redis.call('PEXPIREAT', META, tree[2])
  redis.call('PEXPIREAT', TREE, tree[2])
end
return {'ok'}
`);
