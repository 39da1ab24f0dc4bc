import { describe, expect, it } from "vitest";

import { APPEND } from "./append.ts";
import { COMMIT } from "./commit.ts";
import { CONFIRM } from "./confirm.ts";
import { DELETE } from "./delete.ts";
import { DROP_MEMBERS } from "./drop-members.ts";
import { EXPAND } from "./expand.ts";
import { FORK_COMMIT } from "./fork-commit.ts";
import { REINDEX } from "./reindex.ts";
import { REPLACE } from "./replace.ts";
import { SET_METADATA } from "./set-metadata.ts";
import { SET_STATE } from "./set-state.ts";

const SCRIPTS = Object.entries({
  APPEND,
  COMMIT,
  CONFIRM,
  DELETE,
  DROP_MEMBERS,
  EXPAND,
  FORK_COMMIT,
  REINDEX,
  REPLACE,
  SET_METADATA,
  SET_STATE,
});

/** What only reads. */
const READS = new Set([
  "EXISTS",
  "HEXISTS",
  "HGET",
  "HGETALL",
  "HLEN",
  "HMGET",
  "TIME",
  "XLEN",
  "XRANGE",
  "ZSCORE",
]);

interface Call {
  readonly command: string;
  readonly key: string | undefined;
  readonly at: number;
}

/** Every command of a script, with the expression that names its key. */
function callsOf(text: string): readonly Call[] {
  return [...text.matchAll(/redis\.p?call\('(\w+)'(?:, ([A-Z]+(?:\[[^\]]*\])?|[^,)]+))?/g)].map(
    ({ 1: command = "", 2: key, index }) => ({ command, key, at: index }),
  );
}

describe.each(SCRIPTS)("%s", (_name, { text, sha }) => {
  it("touches no key but those in KEYS", () => {
    const named = new Set(
      [...text.matchAll(/^local ((?:[A-Z]+, )*[A-Z]+) = KEYS\[/gm)].flatMap(({ 1: names = "" }) =>
        names.split(", "),
      ),
    );
    const keys = callsOf(text).flatMap(({ key }) => key ?? []);

    expect(callsOf(text).length).toBe(text.split("redis.").length - 1);
    for (const key of keys) if (!key.startsWith("KEYS[")) expect(named).toContain(key);
    expect(text).not.toMatch(/\.\. *(KEYS|META|TREE)|(KEYS\[[^\]]*\]|META|TREE) *\.\./);
  });

  it("names its keys in a call that only TIME leaves out", () => {
    const without = callsOf(text).filter(({ key }) => key === undefined);

    expect(without.map(({ command }) => command).filter((command) => command !== "TIME")).toEqual(
      [],
    );
  });

  it("checks everything before its first write", () => {
    const calls = callsOf(text);
    const firstWrite = calls.find(({ command }) => !READS.has(command))?.at ?? 0;
    const lastRefusal = text.lastIndexOf("return {'");
    const refusals = [...text.matchAll(/return \{'(?!ok')/g)].map(({ index }) => index);

    expect(firstWrite).toBeGreaterThan(0);
    expect(lastRefusal).toBeGreaterThan(firstWrite);
    for (const refusal of refusals) expect(refusal).toBeLessThan(firstWrite);
  });

  it("begins with no shebang, and has a name of its own", () => {
    expect(text.startsWith("#!")).toBe(false);
    expect(sha).toMatch(/^[0-9a-f]{40}$/);
    expect(SCRIPTS.filter(([, other]) => other.sha === sha).length).toBe(1);
  });

  it("begins to write with what a full server refuses, or with what frees memory", () => {
    const first = callsOf(text).find(({ command }) => !READS.has(command));

    // Once a script has written, a full server lets it finish; so its first write must be one that a full server refuses, or frees memory.
    expect(["HSET", "UNLINK", "XADD", "ZREM"]).toContain(first?.command);
  });
});
