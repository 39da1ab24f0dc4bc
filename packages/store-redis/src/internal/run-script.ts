import { createHash } from "node:crypto";

import { classifyFailure } from "./classify-failure.ts";
import type { Command, RedisLink } from "./redis-link.ts";

/** A script, and the name the server's cache has it under. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

/** Names a script by its text. */
export function script(text: string): Script {
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}

/** What a script is run on. */
export interface ScriptCall {
  readonly script: Script;
  /** All keys that it may touch; of one hash slot. */
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** Runs a script by its name, and by its text where the server does not have it. */
export async function runScript(
  link: RedisLink,
  call: ScriptCall,
  signal: AbortSignal,
): Promise<unknown> {
  const [key = ""] = call.keys;
  try {
    return await link.send(key, byName(call), signal);
  } catch (error) {
    if (!isUnknownScript(error)) throw error;
    return link.send(key, byText(call), signal);
  }
}

/** The same, with a command behind it on the same connection. */
export async function runScriptAnd(
  link: RedisLink,
  call: ScriptCall,
  { command, signal }: { readonly command: Command; readonly signal: AbortSignal },
): Promise<{ readonly reply: unknown; readonly after: PromiseSettledResult<unknown> | undefined }> {
  const [key = ""] = call.keys;
  let [first, after] = await link.sendTogether(key, [byName(call), command], signal);
  if (first?.status === "rejected" && isUnknownScript(first.reason)) {
    [first, after] = await link.sendTogether(key, [byText(call), command], signal);
  }
  if (first?.status === "rejected") throw first.reason;
  return { reply: first?.value, after };
}

function byName({ script: { sha }, keys, args }: ScriptCall): Command {
  return ["EVALSHA", sha, String(keys.length), ...keys, ...args];
}

function byText({ script: { text }, keys, args }: ScriptCall): Command {
  return ["EVAL", text, String(keys.length), ...keys, ...args];
}

function isUnknownScript(error: unknown): boolean {
  return classifyFailure(error).reason === "no-script";
}
