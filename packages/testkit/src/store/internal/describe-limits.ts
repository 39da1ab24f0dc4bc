import type { HistoryEntry } from "@agent-history/core";
import {
  MAX_BATCH_BYTES,
  MAX_BATCH_ENTRIES,
  MAX_ENTRY_BYTES,
  MAX_NAME_LENGTH,
  isHistoryError,
  userMessage,
} from "@agent-history/core";
import { describe, expect } from "vitest";

import {
  allOf,
  codeOf,
  compact,
  idsOf,
  manyMessages,
  messages,
  namesIn,
  withTurnIds,
} from "./ask-store.ts";
import type { StoreTest } from "./store-test.ts";

/** Sizes: exactly at each limit, and one above. */
export function describeLimits(it: StoreTest): void {
  describe("limits", () => {
    it("of a batch are 500 entries, 1,000,000 bytes an entry and 4,000,000 bytes together", async ({
      store,
    }) => {
      const most = manyMessages("m", MAX_BATCH_ENTRIES);
      for (const duplicate of [false, true])
        expect(await store.append("t", most)).toEqual({ version: 500, duplicate });
      expect((await store.read("t")).entries).toEqual(most);
      const full = ["a", "b", "c"].map((id) => entryOfBytes(id, MAX_ENTRY_BYTES, "é"));
      const last = (bytes: number): readonly HistoryEntry[] => [
        entryOfBytes("d", bytes - 128),
        entryOfBytes("e", 128),
      ];
      const refused: readonly (readonly [readonly HistoryEntry[], object])[] = [
        [manyMessages("n", 501), { limit: MAX_BATCH_ENTRIES, actual: 501 }],
        [
          [...messages("b"), entryOfBytes("c", MAX_ENTRY_BYTES + 1, "é")],
          { limit: MAX_ENTRY_BYTES, actual: MAX_ENTRY_BYTES + 1, entryId: "c" },
        ],
        [
          [...full, ...last(MAX_ENTRY_BYTES + 1)],
          { limit: MAX_BATCH_BYTES, actual: MAX_BATCH_BYTES + 1 },
        ],
      ];
      for (const [batch, details] of refused) {
        const error: unknown = await store.append("u", batch).catch((one: unknown) => one);
        expect(error).toMatchObject({ code: "TOO_LARGE", details });
        // No message has text of an entry.
        expect(isHistoryError(error) && error.message).not.toMatch(/éé|message/u);
      }
      expect(await namesIn(store)).toEqual(["t"]);
      const exact = [...full, ...last(MAX_ENTRY_BYTES)];
      expect((await store.append("u", exact)).version).toBe(5);
      expect((await store.read("u")).entries).toEqual(withTurnIds(exact));
      // Nor does an export make an entry larger.
      await store.importThread("moved", store.exportThread("u"));
    });

    it("hold for summaries and state, and leave what was there", async ({ store }) => {
      await store.append("t", messages("a"));
      const summary = `z${"x".repeat(MAX_ENTRY_BYTES)}`;
      const commit = compact(store, "t", summary, ["a", "a"], { viewRevision: 0 });
      expect(await codeOf(commit)).toBe("TOO_LARGE");
      expect(await idsOf(store, "t", allOf("thread"))).toBe("a");
      const most = "x".repeat(MAX_ENTRY_BYTES - 2);
      await store.setState("t", "key", most, { expectedRevision: 0 });
      const more = store.setState("t", "key", `${most}x`, { expectedRevision: 1 });
      expect(await codeOf(more)).toBe("TOO_LARGE");
      expect(await store.getState("t", "key")).toEqual({ value: most, revision: 1 });
    });

    it("hold for the names of threads and of state, which are not empty", async ({ store }) => {
      const [most, more] = ["x".repeat(MAX_NAME_LENGTH), "x".repeat(MAX_NAME_LENGTH + 1)];
      await store.append(most, messages("a"));
      await store.setState(most, most, 1, { expectedRevision: 0 });
      expect(await store.getState(most, most)).toEqual({ value: 1, revision: 1 });
      for (const [name, code] of [
        [more, "TOO_LARGE"],
        ["", "INVALID_OPTION"],
      ] as const)
        for (const call of [
          store.append(name, messages("a")),
          store.read(name),
          store.setState(name, "key", 1, { expectedRevision: 0 }),
          store.delete(name),
          store.listSummaries(name),
          store.verify(name),
        ])
          expect(await codeOf(call)).toBe(code);
      for (const call of [
        store.setState("t", more, 1, { expectedRevision: 0 }),
        store.getState("t", more),
        store.fork(most, { at: "a", as: "f" }),
      ])
        expect(await codeOf(call)).toBe("TOO_LARGE");
      expect(await namesIn(store)).toEqual([most]);
    });
  });
}

/** A message whose stored form has this many bytes. */
function entryOfBytes(id: string, bytes: number, unit = "x"): HistoryEntry {
  const size = (text: string): number => new TextEncoder().encode(text).length;
  const make = (content: string): HistoryEntry => userMessage({ id, content, createdAtMs: 0 });
  const room = bytes - size(JSON.stringify({ v: 1, ...make("") }));
  const whole = Math.floor(room / size(unit));
  return make(unit.repeat(whole) + "x".repeat(room - whole * size(unit)));
}
