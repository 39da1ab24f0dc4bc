import { script } from "../internal/run-script.ts";
import type { Script } from "../internal/run-script.ts";
import { EPILOGUE, PROLOGUE } from "./prologue.ts";

/** Changes what a list shows of a thread, which it begins where there is none. ARGV: fields of meta and their values, `-` to remove one, `=` and a text to write it. */
export const SET_METADATA: Script = script(`${PROLOGUE}
-- What is so already is written once more, so that replicas are waited for.
redis.call('HSET', META, 'f', 1)
redis.call('HSETNX', META, 'v', 0)
for at = args + 1, #ARGV, 2 do
  if ARGV[at + 1] == '-' then redis.call('HDEL', META, ARGV[at])
  else redis.call('HSET', META, ARGV[at], string.sub(ARGV[at + 1], 2)) end
end
${EPILOGUE}
return {'ok', version, now, expiry, isNew}
`);
