import { userMessage } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { memoryStore } from "./memory-store.ts";

/** What is no value of a kind. */
const WRONG = {
  text: [null, 5, true, ["a"], {}],
  filled: [null, 5, true, ["a"], {}, ""],
  flag: [null, 0, "true", []],
  count: [null, -1, 1.5, Number.NaN, "1", true, []],
  time: [null, Number.NaN, Infinity, "1", {}],
  version: [null, 1.5, Number.NaN, Infinity, "0", "some", true, [1], {}],
  revision: [null, 1.5, Infinity, "0", "any", true, []],
  list: [null, 5, "a", {}],
  lines: [null, 5, {}],
  object: [null, 5, "a", true],
  map: [null, 5, [], {}],
  function: [null, 5, "a", {}],
} as const;

type Kind = keyof typeof WRONG;
type Values = Readonly<Record<string, readonly [kind: Kind | undefined, value: unknown]>>;

const OF_THREAD: Values = { threadId: ["filled", "t"] };
const VERSION = ["version", "any"] as const;
const MAP = ["map", new Map()] as const;
const FLAG = ["flag", true] as const;
const PAGE: Values = { prefix: ["text", ""], cursor: ["text", "x"], limit: ["count", 1] };
const EDIT: Values = { replacement: ["list", []], operationId: ["filled", "o"] };

/** What each verb takes, with a value of each. */
const VERBS: Readonly<
  Record<Exclude<keyof HistoryStore, "describe" | "close">, readonly [Values, Values]>
> = {
  append: [
    { ...OF_THREAD, entries: ["list", []] },
    { expectedVersion: VERSION, tokens: MAP },
  ],
  read: [OF_THREAD, { query: ["object", { clauses: [] }], originals: FLAG }],
  replaceSuffix: [
    OF_THREAD,
    { from: ["text", "a"], expectedVersion: VERSION, ...EDIT, tokens: MAP },
  ],
  commitCompaction: [
    OF_THREAD,
    {
      view: ["filled", "thread"],
      summary: ["object", {}],
      covers: ["list", []],
      expectedViewRevision: ["revision", 0],
    },
  ],
  expand: [{ ...OF_THREAD, summaryId: ["text", "z"] }, {}],
  listSummaries: [OF_THREAD, {}],
  verify: [OF_THREAD, {}],
  getState: [{ ...OF_THREAD, key: ["text", "k"] }, {}],
  setState: [
    { ...OF_THREAD, key: ["text", "k"], value: [undefined, 1] },
    { expectedRevision: ["revision", 0] },
  ],
  listState: [OF_THREAD, PAGE],
  fork: [
    OF_THREAD,
    {
      at: ["text", "a"],
      as: ["filled", "f"],
      under: ["filled", "t"],
      operationId: ["filled", "o"],
    },
  ],
  getMetadata: [OF_THREAD, {}],
  setMetadata: [{ ...OF_THREAD, change: ["object", {}] }, {}],
  list: [
    {},
    {
      ...PAGE,
      user: ["filled", "u"],
      newestFirst: FLAG,
      withoutForks: FLAG,
      idleSinceMs: ["time", 0],
    },
  ],
  delete: [OF_THREAD, { includeForks: FLAG, dryRun: FLAG }],
  eraseUser: [{ user: ["filled", "u"] }, { dryRun: FLAG }],
  eraseEntries: [{ ...OF_THREAD, ids: ["list", ["a"]] }, { dryRun: FLAG }],
  sweep: [
    {},
    {
      idleMs: ["count", 0],
      maxEntries: ["count", 9],
      keepPinned: FLAG,
      limit: ["count", 1],
      archive: ["function", () => {}],
      dryRun: FLAG,
    },
  ],
  importThread: [{ ...OF_THREAD, text: ["lines", []] }, { afterDelete: FLAG }],
  exportThread: [OF_THREAD, {}],
  ping: [{}, {}],
};

/** What an error says of a value. */
function saidOf(value: unknown): string {
  if (typeof value === "number") return `the number ${value}`;
  if (value === "") return "an empty string";
  const kind = value === null ? "null" : typeof value;
  return `of type ${Array.isArray(value) ? "array" : kind}`;
}

describe("a call of a store", () => {
  it.each(Object.entries(VERBS))(
    "%s refuses a parameter or an option of another type, says which and what came, and does nothing",
    async (verb, [parameters, own]) => {
      const store = memoryStore();
      await store.append("t", [userMessage({ id: "a", content: "" })]);
      const options: Values = { ...own, signal: ["object", new AbortController().signal] };
      const valuesOf = (values: Values, changes: object): Record<string, unknown> => {
        const good = Object.entries(values).map(([name, [, value]]) => [name, value] as const);
        return { ...Object.fromEntries(good), ...changes };
      };
      for (const [name, [kind]] of Object.entries({ ...parameters, ...options })) {
        for (const value of kind === undefined ? [] : WRONG[kind]) {
          const change = { [name]: value };
          const isOption = name in options;
          const positional = Object.values(valuesOf(parameters, isOption ? {} : change));
          const given = [...positional, valuesOf(options, isOption ? change : {})];
          const error = await failureOf(store, verb, given);
          const expected = { code: "INVALID_OPTION", details: { option: name } };
          expect({ name, value, error }).toMatchObject({ error: expected });
          expect(String(error)).toContain(saidOf(value));
        }
      }
      const error = await failureOf(store, verb, [
        ...Object.values(valuesOf(parameters, {})),
        null,
      ]);
      expect(error).toMatchObject({ code: "INVALID_OPTION", details: { option: "options" } });
      const { entries } = await store.read("t");
      const { threads } = await store.list();
      expect([entries.length, threads.length]).toEqual([1, 1]);
    },
  );

  it("refuses a call without an option that its verb needs", async () => {
    const store = memoryStore();
    for (const [verb, option] of [
      ["replaceSuffix", "from"],
      ["commitCompaction", "view"],
      ["fork", "at"],
    ] as const)
      expect(await failureOf(store, verb, ["t", {}])).toMatchObject({ details: { option } });
    expect(await failureOf(store, "setState", ["t", "k", 1])).toMatchObject({
      details: { option: "options" },
    });
  });
});

/** What a call of any kind fails with. */
async function failureOf(
  store: HistoryStore,
  verb: string,
  given: readonly unknown[],
): Promise<unknown> {
  try {
    const result: unknown = Reflect.apply(Reflect.get(store, verb), store, given);
    const isStream = typeof result === "object" && result !== null && "next" in result;
    await (isStream && typeof result.next === "function" ? result.next() : result);
    return undefined;
  } catch (error) {
    return error;
  }
}
