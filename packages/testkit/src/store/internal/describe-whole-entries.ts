import type { HistoryEntry } from "@agent-history/core";
import { action, attachment, observation, userMessage } from "@agent-history/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryEntry } from "../../arbitrary-entry.ts";
import { arbitraryHistory } from "../../arbitrary-history.ts";
import { asPlainJson } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

/** What is in an entry comes back, all of it. */
export function describeWholeEntries(stores: UseStores, runs: number): void {
  describe("an entry", () => {
    it("comes back whole: calls, results, sources, uploads and their link, opaque parts", async () => {
      const { store, another } = await stores();
      await store.append("t", richEntries);
      expect((await store.read("t")).entries).toEqual(richEntries);
      expect((await (await another()).read("t")).entries).toEqual(richEntries);
    });

    it("comes back without fields that are undefined, and is known again with and without them", async () => {
      const { store } = await stores();
      const fields = {
        id: "a1",
        createdAtMs: 0,
        toolCalls: [{ id: "c1", name: "t", arguments: "" }],
      };
      const sound = action(fields);
      const loose = Object.assign(action(fields), { content: undefined, turnId: undefined });
      expect(await store.append("t", [loose])).toEqual({ version: 1, duplicate: false });
      expect(await store.append("t", [sound])).toEqual({ version: 1, duplicate: true });
      expect((await store.read("t")).entries).toStrictEqual([sound]);
    });

    it("of any type comes back whole, whatever its fields", async () => {
      const { store } = await stores();
      let nth = 0;
      const batches = fc.array(arbitraryEntry({ optional: "all" }), { maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(batches, async (given) => {
          const batch = given.map((entry, index) => inLog(entry, `m${index}`));
          await store.append(`t${(nth += 1)}`, batch);
          expect((await store.read(`t${nth}`)).entries).toEqual(asPlainJson(batch));
        }),
        { numRuns: runs },
      );
    });

    it("of a whole history comes back, batch by batch", async () => {
      const { store } = await stores();
      let nth = 0;
      await fc.assert(
        fc.asyncProperty(arbitraryHistory(), fc.integer({ min: 1, max: 9 }), async (log, size) => {
          nth += 1;
          for (let start = 0; start < log.length; start += size) {
            await store.append(`t${nth}`, log.slice(start, start + size));
          }
          const { entries, version } = await store.read(`t${nth}`);
          expect(entries).toEqual(asPlainJson(log));
          expect(version).toBe(log.length);
        }),
        { numRuns: runs },
      );
    });
  });
}

/** An entry that append takes: a summary without its view. */
function inLog(entry: HistoryEntry, id: string): HistoryEntry {
  if (entry.type !== "summary") return { ...entry, id };
  const { view: _view, covers: _covers, ...fields } = entry;
  return { ...fields, id };
}

const worker = { id: "w1", role: "worker" } as const;
const opaque = { type: "opaque", data: { signature: "c2ln", deep: [{ "": null }, 1e-7] } } as const;

const richEntries: readonly HistoryEntry[] = [
  userMessage({
    id: "u1",
    createdAtMs: 1,
    content: "What is in the file?",
    rendered: "Question: What is in the file?",
    turnId: "turn-1",
    origin: {
      format: "openai-chat",
      message: "u1",
      index: 0,
      derivedId: true,
      extra: { name: "Ann" },
    },
  }),
  attachment({
    id: "f1",
    createdAtMs: 2,
    messageId: "u1",
    name: "a.pdf",
    content: [
      { type: "file", source: { kind: "data", base64: "AAEC" }, mediaType: "application/pdf" },
      { type: "image", source: { kind: "url", url: "https://example.com/a.png" }, width: 640 },
    ],
  }),
  action({
    id: "a1",
    createdAtMs: 3,
    agent: worker,
    taskId: "task-1",
    phaseId: 1,
    content: [{ type: "reasoning", text: "First, read.", data: { signature: "abc" } }, opaque],
    toolCalls: [
      { id: "c1", name: "read", arguments: '{"path": "a.pdf"', kind: "function" },
      { id: "c1", name: "grep", arguments: "", extra: { index: 1 } },
    ],
  }),
  observation({
    id: "o1",
    createdAtMs: 4,
    agent: worker,
    callId: "c1",
    actionId: "a1",
    toolName: "read",
    outcome: "success",
    content: [{ type: "text", text: "Found.", extra: { cache: true } }, opaque],
    sources: [
      { number: 0, id: "s0", text: "Evidence.", title: "A", uri: "a.pdf#L1" },
      { number: 7, id: "s7", text: "" },
    ],
    metadata: { durationMs: 12, nested: { list: [true, false, null] } },
  }),
  observation({
    id: "o2",
    createdAtMs: 5,
    agent: worker,
    callId: "c1",
    toolName: "grep",
    outcome: "denied",
    content: "",
    pinned: true,
  }),
];
