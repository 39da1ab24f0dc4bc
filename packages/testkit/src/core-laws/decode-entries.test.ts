import { inspect } from "node:util";

import { decodeEntries, encodeEntry } from "@agent-history/core/schema";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryEntry } from "../arbitrary-entry.ts";
import { lawRuns } from "../law-runs.ts";

const message = { type: "user_message", id: "u1", createdAtMs: 0, content: "Hello" } as const;

const later = { v: 1, ...message, type: "later", body: [{ text: null }] };

const unreadable = fc.constantFrom<unknown[]>(
  null,
  "{",
  {},
  { v: 2 },
  { ...message, v: 1, type: "" },
  { ...message, v: 1, content: 1 },
  { ...message, v: 0 },
);

describe("decodeEntries", () => {
  it("shows every row that can be read, in order, and reports every other with its position", () => {
    const row = fc.oneof(
      arbitraryEntry().map((entry) => ({ entry, row: encodeEntry(entry) })),
      unreadable.map((broken) => ({ entry: undefined, row: broken })),
    );
    fc.assert(
      fc.property(fc.array(row, { maxLength: 8 }), (rows) => {
        const { entries, problems } = decodeEntries(rows.map((each) => each.row));
        const sound = rows.flatMap(({ entry }) => (entry === undefined ? [] : [entry]));
        const broken = rows.flatMap(({ entry }, index) => (entry === undefined ? [index] : []));
        expect(entries).toStrictEqual(sound);
        expect(problems.map(({ position }) => position)).toStrictEqual(broken);
      }),
      { numRuns: lawRuns(200) },
    );
  });

  it("gives nothing for nothing", () => {
    expect(decodeEntries([])).toStrictEqual({ entries: [], problems: [] });
  });

  it("says which entry is broken, where and how", () => {
    const { problems } = decodeEntries([{ v: 1, ...message, content: 1 }]);
    expect(problems).toStrictEqual([
      {
        position: 0,
        entryId: "u1",
        path: "content",
        kind: "broken",
        reason: 'Expected text or a list of parts at `content` of entry "u1"; got a number.',
      },
    ]);
  });

  it("leaves out what it does not know", () => {
    const [problem] = decodeEntries(["{"]).problems;
    expect(Object.keys(problem ?? {})).toStrictEqual(["position", "kind", "reason"]);
  });

  it.each([
    ["newer", "a newer version", { v: 2, id: "u1", body: "text" }],
    ["newer", "a type of a newer release", { v: 2, ...message, type: "later", body: "text" }],
    ["broken", "an empty type", { v: 1, ...message, type: "" }],
    ["broken", "a type of the user's own and a wrong time", { ...later, createdAtMs: "now" }],
    ["broken", "a type of the user's own and an unknown role", { ...later, agent: { id: "w" } }],
    ["broken", "no type", { v: 1, id: "u1", createdAtMs: 0 }],
    ["broken", "a type that is no text", { v: 1, ...message, type: 5 }],
    ["broken", "version 0", { v: 0, id: "u1", kind: "later" }],
    ["broken", "a part of an unknown type", { v: 1, ...message, content: [{ type: "later" }] }],
  ])("calls %s what has %s", (kind, _, row) => {
    expect(decodeEntries([row]).problems).toMatchObject([{ position: 0, entryId: "u1", kind }]);
  });

  it("reads a type that is not built in as one of the user's own", () => {
    const { v: _, ...entry } = later;
    expect(decodeEntries([later])).toStrictEqual({ entries: [entry], problems: [] });
  });

  it("keeps content out of its reasons", () => {
    const { problems } = decodeEntries([
      '{"v":1,"content":"secret',
      { v: 2, secret: "secret" },
      { v: 1, ...message, content: ["secret"], secret: "secret" },
    ]);
    expect(problems).toHaveLength(3);
    expect(inspect(problems)).not.toMatch("secret");
  });

  it("reports a row that throws while it is read", () => {
    const hostile = {
      get v(): number {
        throw new TypeError("secret");
      },
    };
    const { entries, problems } = decodeEntries([hostile]);
    expect(entries).toEqual([]);
    expect(problems).toMatchObject([{ position: 0 }]);
    expect(inspect(problems)).not.toMatch("secret");
  });
});
