import { script } from "../internal/run-script.ts";
import type { Script } from "../internal/run-script.ts";
import { EPILOGUE, PROLOGUE } from "./prologue.ts";

/** Takes a summary out of a view and raises the view's revision. ARGV: view, its revision, its new state, the summary's id. */
export const EXPAND: Script = script(`${PROLOGUE}
local view, viewRevision, state, id = ARGV[args + 1], ARGV[args + 2], ARGV[args + 3], ARGV[args + 4]
if not exists then return {'missing'} end
if (redis.call('HGET', VIEWS, 'r:' .. view) or tostring(replaced)) ~= viewRevision then return {'moved', version} end
if redis.call('HEXISTS', OVERLAYS, id) == 0 then return {'moved', version} end

redis.call('HSET', VIEWS, 'r:' .. view, viewRevision + 1, 's:' .. view, state)
redis.call('HDEL', OVERLAYS, id)
redis.call('HDEL', IDS, id)
redis.call('HINCRBY', META, 'k', -1)
${EPILOGUE}
return {'ok', viewRevision + 1, now, expiry, isNew}
`);
