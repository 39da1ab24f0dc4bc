import { script } from "../internal/run-script.ts";
import type { Script } from "../internal/run-script.ts";
import { EPILOGUE, PROLOGUE } from "./prologue.ts";

/** Adds a summary to a view and raises the view's revision. ARGV: view, its revision, its new state, the summary's id and value. */
export const COMMIT: Script = script(`${PROLOGUE}
local view, viewRevision, state = ARGV[args + 1], ARGV[args + 2], ARGV[args + 3]
local id, value = ARGV[args + 4], ARGV[args + 5]
if not exists then return {'missing'} end
if (redis.call('HGET', VIEWS, 'r:' .. view) or tostring(replaced)) ~= viewRevision then return {'moved', version} end
if redis.call('HEXISTS', IDS, id) == 1 then return {'moved', version} end
redis.call('HLEN', OVERLAYS)

redis.call('HSET', VIEWS, 'r:' .. view, viewRevision + 1, 's:' .. view, state)
local order = redis.call('HINCRBY', META, 'o', 1)
redis.call('HSET', OVERLAYS, id, order .. ' ' .. value)
redis.call('HSET', IDS, id, 's')
redis.call('HINCRBY', META, 'k', 1)
${EPILOGUE}
return {'ok', viewRevision + 1, now, expiry, isNew}
`);
