import { script } from "../internal/run-script.ts";
import type { Script } from "../internal/run-script.ts";

/** Takes members out of an index that have the score they were seen with. KEYS: the index. ARGV: members and scores, in turn. */
export const DROP_MEMBERS: Script = script(`
for at = 1, #ARGV, 2 do
  if tonumber(redis.call('ZSCORE', KEYS[1], ARGV[at]) or '-1') == tonumber(ARGV[at + 1]) then
    redis.call('ZREM', KEYS[1], ARGV[at])
  end
end
return {'ok'}
`);
