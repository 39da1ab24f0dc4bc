import { script } from "../internal/run-script.ts";
import type { Script } from "../internal/run-script.ts";
import { EPILOGUE, PROLOGUE } from "./prologue.ts";

/** Writes one value of state, and begins the thread where there is none. ARGV: key, expected revision, value. */
export const SET_STATE: Script = script(`${PROLOGUE}
local field, expected, value = ARGV[args + 1], ARGV[args + 2], ARGV[args + 3]
local current = redis.call('HGET', STATE, field)
local at = current and string.match(current, '^%d+') or '0'
if at ~= expected then
  return {'conflict', at, current and string.gsub(current, '^%d+ ', '', 1) or ''}
end
redis.call('HSET', STATE, field, (at + 1) .. ' ' .. value)
redis.call('HSETNX', META, 'v', 0)
redis.call('HSET', META, 'f', 1)
${EPILOGUE}
return {'ok', at + 1, now, expiry}
`);
