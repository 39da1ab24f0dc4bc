import { inspect } from "node:util";

import { isHistoryError, summary, userMessage } from "@agent-history/core";
import { jsonValueSchema } from "@agent-history/core/schema";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { damagedJson } from "../../test-support/damaged-json.ts";
import { HEADER, readLine, writeLine } from "./thread-line.ts";
import type { ThreadLine } from "./thread-line.ts";

const schema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("thread"), format: z.literal("agent-history"), version: z.int() }),
  z.object({
    kind: z.literal("entry"),
    entry: z.unknown(),
    tokens: z.array(z.tuple([z.string(), z.int().min(0)])),
  }),
  z.object({ kind: z.literal("compaction"), summary: z.unknown() }),
  z.object({ kind: z.literal("state"), key: z.string(), value: jsonValueSchema }),
  z.object({ kind: z.literal("problem"), position: z.int(), reason: z.string() }),
  z.object({ kind: z.literal("end"), entries: z.int() }),
]);

const at = { createdAtMs: 0 };
const LINES: readonly ThreadLine[] = [
  HEADER,
  { kind: "entry", entry: userMessage({ ...at, id: "u", content: "Hi" }), tokens: [["c", 3]] },
  {
    kind: "compaction",
    summary: summary({ ...at, id: "s", content: "Hi", strategy: "by hand", trust: "user" }),
  },
  { kind: "state", key: "k", value: { a: [1, null] } },
  { kind: "problem", position: 4, reason: "broken" },
  { kind: "end", entries: 1 },
];

describe("readLine", () => {
  it("reads what writeLine wrote", () => {
    for (const line of LINES) expect(readLine(writeLine(line))).toEqual(line);
  });

  it("refuses what has another shape, and quotes nothing of it", () => {
    const samples = LINES.map((line): object => JSON.parse(writeLine(line)));
    fc.assert(
      fc.property(damagedJson(samples), (damaged) => {
        const text = JSON.stringify(damaged);
        const { success } = schema.safeParse(JSON.parse(text));
        const read = outcomeOf(text);
        if (read === undefined) {
          expect(success).toBe(true);
          return;
        }
        expect(isHistoryError(read)).toBe(true);
        const isOfLine = inspect(read).includes("a line of an exported thread");
        expect(isOfLine).toBe(!success);
      }),
      { numRuns: lawRuns(1000) },
    );
  });

  it("says of text that is no JSON that it is none", () => {
    expect(inspect(outcomeOf("{secret"))).toContain("Expected a line of JSON");
    expect(inspect(outcomeOf("{secret"))).not.toContain("secret");
  });
});

function outcomeOf(text: string): unknown {
  try {
    readLine(text);
    return undefined;
  } catch (error) {
    return error;
  }
}
