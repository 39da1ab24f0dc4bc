import { script } from "../internal/run-script.ts";
import type { Script } from "../internal/run-script.ts";
import { EPILOGUE, PROLOGUE } from "./prologue.ts";

/** Adds a summary to a view and raises the view's epoch. ARGV: view, its epoch, its new state, the summary's id and value. */
export const COMMIT: Script = script(`${PROLOGUE}
local view, epoch, state = ARGV[args + 1], ARGV[args + 2], ARGV[args + 3]
local id, value = ARGV[args + 4], ARGV[args + 5]
if not exists then return {'missing'} end
if (redis.call('HGET', VIEWS, 'e:' .. view) or '0') ~= epoch then return {'moved', version} end
if redis.call('HEXISTS', IDS, id) == 1 then return {'moved', version} end
redis.call('HLEN', OVERLAYS)

redis.call('HSET', VIEWS, 'e:' .. view, epoch + 1, 's:' .. view, state)
local order = redis.call('HINCRBY', META, 'o', 1)
redis.call('HSET', OVERLAYS, id, order .. ' ' .. value)
redis.call('HSET', IDS, id, 's')
redis.call('HINCRBY', META, 'k', 1)
${EPILOGUE}
return {'ok', epoch + 1, now, expiry, isNew}
`);
