import type { HistoryView } from "@agent-history/core";
import {
  applyCompactions,
  assistantMessage,
  summary,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import { selectEntries } from "@agent-history/core/kit";
import { describe, expect, it } from "vitest";

import { memoryStore } from "./memory-store.ts";

/** A chat of turns of two messages, with an instruction in every fortieth. */
const CHAT = Array.from({ length: 300 }, (_, nth) => {
  const fields = { turnId: `t${nth}`, createdAtMs: nth, content: "Hello" };
  return [
    userMessage({ ...fields, id: `u${nth}` }),
    ...(nth % 40 === 20 ? [systemMessage({ ...fields, id: `s${nth}` })] : []),
    assistantMessage({ ...fields, id: `a${nth}` }),
  ];
}).flat();

describe("readThread", () => {
  it.each<readonly [HistoryView, readonly (readonly [number, number])[]]>([
    ["conversation", [[0, 249]]],
    ["conversation", [[3, 294]]],
    ["thread", [[0, 249]]],
    [
      "thread",
      [
        [10, 100],
        [103, 289],
      ],
    ],
  ])("counts the turns of the %s as it shows them, compacted in %j", async (view, ranges) => {
    const store = memoryStore();
    for (let from = 0; from < CHAT.length; from += 500)
      await store.append("t", CHAT.slice(from, from + 500));
    const covers = ranges.map(([first, last]) => ({ from: `u${first}`, to: `a${last}` }));
    const fields = { content: "", strategy: "s", trust: "user", createdAtMs: 0 } as const;
    const overlay = { ...summary({ ...fields, id: "z", covers }), view };
    await store.commitCompaction("t", { view, summary: overlay, covers, expectedViewRevision: 0 });
    const shown = applyCompactions([...CHAT, overlay], view);
    for (let count = 1; count <= 16; count += 1)
      for (let stride = 1; stride <= count; stride += 1) {
        const types = ["user_message", "assistant_message"] as const;
        const query = { clauses: [{ types, lastTurns: { count, stride } }], view };
        const { entries } = await store.read("t", { query });
        expect({ count, stride, ids: entries.map(({ id }) => id) }).toEqual({
          count,
          stride,
          ids: selectEntries(shown, query).map(({ id }) => id),
        });
      }
  });
});
