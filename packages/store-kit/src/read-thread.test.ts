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

/** A chat of turns of two or three messages, with an instruction in every fortieth. */
const CHAT = Array.from({ length: 300 }, (_, nth) => {
  const fields = { turnId: `t${nth}`, createdAtMs: nth, content: "Hello" };
  return [
    userMessage({ ...fields, id: `u${nth}` }),
    ...(nth % 40 === 20 ? [systemMessage({ ...fields, id: `s${nth}` })] : []),
    ...(nth % 3 === 0 ? [assistantMessage({ ...fields, id: `b${nth}` })] : []),
    assistantMessage({ ...fields, id: `a${nth}` }),
  ];
}).flat();

describe("readThread", () => {
  it.each<readonly [HistoryView, readonly (readonly [number, number])[]]>([
    ["conversation", []],
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
    if (covers.length > 0)
      await store.commitCompaction("t", {
        view,
        summary: overlay,
        covers,
        expectedViewRevision: 0,
      });
    const shown = covers.length > 0 ? applyCompactions([...CHAT, overlay], view) : CHAT;
    for (let count = 1; count <= 40; count += 1)
      for (let stride = 1; stride <= Math.min(count, 5); stride += 1) {
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
