import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it } from "vitest";

import { measurePart, PART_NAMES } from "./parts.ts";

// Each once, small and ours only. Packing and the packages' own benches are tested with the packages.
const NAMES = PART_NAMES.filter((name) => !["sizes", "packages"].includes(name));

const options = { isQuick: true, isCheck: false, isNamed: true, withPeers: false };

it.each(NAMES)("measures something in every cell, and finds nothing broken: %s", async (name) => {
  const data = mkdtempSync(join(tmpdir(), "agent-history-dialogues-"));
  mkdirSync(join(data, "locomo"));
  writeFileSync(join(data, "locomo", "locomo.jsonl"), JSON.stringify(dialogue));

  const { tables, broken = [] } = await measurePart(name, { ...options, data });

  rmSync(data, { recursive: true });
  expect(broken).toEqual([]);
  expect(tables.length).toBeGreaterThan(0);
  for (const { head, rows } of tables) {
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.map((row) => row.length)).toEqual(rows.map(() => head.length));
    expect(rows.flat().filter((cell) => /^$|NaN|undefined$|Infinity/.test(cell))).toEqual([]);
  }
});

it("refuses a part that it does not know, and says which there are", async () => {
  await expect(measurePart("fitt", options)).rejects.toThrow(/Expected parts of .*, got fitt/);
});

const dialogue = {
  turns: Array.from({ length: 60 }, (_, index) => ({
    id: `D1:${index}`,
    session: 1,
    date_time: "1:56 pm on 8 May, 2023",
    speaker: index % 2 === 0 ? "Ana" : "Ben",
    role: index % 2 === 0 ? "user" : "assistant",
    text: index === 8 ? "I sold the kayak." : `It rained on day ${index}.`,
  })),
  qa: ["D1:8", "D1:9"].map((id) => ({
    question: "What did Ana do with the kayak?",
    answer: "Sold it.",
    category: 1,
    evidence: [id],
  })),
};
