import { script } from "../internal/run-script.ts";
import type { Script } from "../internal/run-script.ts";
import { PROLOGUE } from "./prologue.ts";

/**
 * Writes something that changes nothing, where a write that was done before still stands: what is waited for after it covers that write too,
 * whichever connection wrote it. ARGV: by threes the number of a key, a field of it, and its value, or '' for any.
 */
export const CONFIRM: Script = script(`${PROLOGUE}
for at = args + 1, #ARGV, 3 do
  local value = redis.call('HGET', KEYS[tonumber(ARGV[at])], ARGV[at + 1])
  if not value or (ARGV[at + 2] ~= '' and value ~= ARGV[at + 2]) then return {'moved', version} end
end
if not exists then return {'moved', version} end
redis.call('HSET', META, 'f', 1)
return {'ok', version, tree[1] or '0', tree[2], 0}
`);
