import { script } from "../internal/run-script.ts";
import type { Script } from "../internal/run-script.ts";
import { EPILOGUE, PROLOGUE } from "./prologue.ts";

/**
 * Writes one value of state, and begins the thread where there is none; or removes one. ARGV: key, expected revision, value or '' to remove it, a
 * name for this very write, by which a retry is known. Meta keeps the highest revision that was removed, and the names of the last removal and of what it removed.
 */
export const SET_STATE: Script = script(`${PROLOGUE}
local field, expected, value, name = ARGV[args + 1], ARGV[args + 2], ARGV[args + 3], ARGV[args + 4]
local current = redis.call('HGET', STATE, field)
local kept = redis.call('HGET', META, 's')
local removed, remover, gone = '0', '', ''
if kept then removed, remover, gone = string.match(kept, '^(%d+) (%S+) (%S+)$') end
local at, writer = '0', value == '' and remover or gone
if current then at, writer = string.match(current, '^(%d+) (%S+) ') end
local written, highest = count(at), removed and count(removed)
if not (at and written and highest) then return {'corrupt', 'state'} end
local isOwn = writer == name
if not isOwn and at ~= expected then return {'conflict', at} end
local answer = 0
if value == '' or (isOwn and not current) then
  -- Where there was never a thread, there is nothing to remove.
  if not exists then return {'ok', 0, tree[1] or '0', tree[2], 0} end
  if current then
    highest = math.max(highest, written)
    kept = string.format('%.0f', highest) .. ' ' .. name .. ' ' .. writer
  end
  -- What was done already is written once more, so that replicas are waited for.
  redis.call('HSET', META, 'f', 1, kept and 's' or 'f', kept or 1)
  redis.call('HDEL', STATE, field)
  if value ~= '' then answer = highest end
else
  if not isOwn then
    written = (current and written or highest) + 1
    current = string.format('%.0f', written) .. ' ' .. name .. ' ' .. value
  end
  redis.call('HSET', STATE, field, current)
  redis.call('HSETNX', META, 'v', 0)
  redis.call('HSET', META, 'f', 1)
  answer = written
end
${EPILOGUE}
return {'ok', answer, now, expiry, isNew}
`);
