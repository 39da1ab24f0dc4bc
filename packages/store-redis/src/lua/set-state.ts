import { script } from "../internal/run-script.ts";
import type { Script } from "../internal/run-script.ts";
import { EPILOGUE, PROLOGUE } from "./prologue.ts";

/**
 * Writes one value of state, and begins the thread where there is none. ARGV: key, expected revision, value, a
 * name for this very write, by which a retry is known.
 */
export const SET_STATE: Script = script(`${PROLOGUE}
local field, expected, value, name = ARGV[args + 1], ARGV[args + 2], ARGV[args + 3], ARGV[args + 4]
local current = redis.call('HGET', STATE, field)
local at, writer = '0', ''
if current then at, writer = string.match(current, '^(%d+) (%S+) ') end
local written = count(at)
if not (at and written) then return {'corrupt', 'state'} end
local isOwn = writer == name
if not isOwn and at ~= expected then return {'conflict', at} end
if not isOwn then
  written = written + 1
  current = string.format('%.0f', written) .. ' ' .. name .. ' ' .. value
end
-- A value that is there already is written once more, so that replicas are waited for.
redis.call('HSET', STATE, field, current)
redis.call('HSETNX', META, 'v', 0)
redis.call('HSET', META, 'f', 1)
${EPILOGUE}
return {'ok', written, now, expiry, isNew}
`);
