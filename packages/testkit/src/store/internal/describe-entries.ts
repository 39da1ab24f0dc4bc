import type { HistoryEntry } from "@agent-history/core";
import {
  action,
  attachment,
  customEntry,
  isHistoryError,
  observation,
  userMessage,
} from "@agent-history/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryEntry } from "../../arbitrary-entry.ts";
import { strangeEntries } from "../../strange-values.ts";
import { asPlainJson, codeOf, idsOf, messages, namesIn, withTurnIds } from "./ask-store.ts";
import { inLog } from "./describe-random-logs.ts";
import type { UseStores } from "./use-stores.ts";

/** What is in an entry comes back, all of it; what is no entry is refused with a typed error. */
export function describeEntries(stores: UseStores, runs: number): void {
  describe("an entry", () => {
    it("comes back whole: calls, results, sources, uploads and their link, opaque parts", async () => {
      const { store, another } = await stores();
      await store.append("t", richEntries);
      for (const handle of [store, await another()])
        expect((await handle.read("t")).entries).toEqual(withTurnIds(richEntries));
    });

    it("comes back without fields that are undefined, and is known again with and without them", async () => {
      const { store } = await stores();
      const calls = [{ id: "c1", name: "t", arguments: "" }];
      const sound = action({ id: "a1", createdAtMs: 0, toolCalls: calls });
      const loose = asEntry({ ...sound, content: undefined, turnId: undefined });
      expect(await store.append("t", [loose])).toEqual({ version: 1, duplicate: false });
      expect(await store.append("t", [sound])).toEqual({ version: 1, duplicate: true });
      expect((await store.read("t")).entries).toStrictEqual([{ ...sound, turnId: "a1" }]);
      const own = { type: "note", id: "n", createdAtMs: 1 };
      await store.append("u", [asEntry({ ...own, metadata: undefined, payload: undefined })]);
      expect((await store.read("u")).entries).toEqual([{ ...own, turnId: "n" }]);
    });

    it("of any type, a user's own too, comes back whole, whatever its fields", async () => {
      const { store } = await stores();
      let nth = 0;
      const type = fc.constantFrom("note", "__proto__", "constructor", "own", "Ü 漢", "*");
      const own = fc
        .tuple(type, arbitraryEntry(), fc.jsonValue({ maxDepth: 3 }))
        .map(([name, { createdAtMs, metadata = {} }, payload]): HistoryEntry =>
          customEntry({ ...metadata, type: name, id: "own", createdAtMs, payload }),
        );
      const entries = fc.oneof({ weight: 3, arbitrary: arbitraryEntry({ optional: "all" }) }, own);
      await fc.assert(
        fc.asyncProperty(fc.array(entries, { maxLength: 5 }), async (given) => {
          const batch = given.map((entry, index) => inLog(entry, `m${index}`));
          await store.append(`t${(nth += 1)}`, batch);
          expect((await store.read(`t${nth}`)).entries).toEqual(asPlainJson(withTurnIds(batch)));
        }),
        { numRuns: runs },
      );
    });
  });
  describeStrangeEntries(stores, runs);
}

function describeStrangeEntries(stores: UseStores, runs: number): void {
  describe("a strange entry", () => {
    it("is refused with a typed error, and what stands beside it in a batch is not written", async () => {
      const { store } = await stores();
      const samples = fc.sample(arbitraryEntry({ optional: "all" }), { numRuns: 15, seed: 3 });
      const strange = strangeEntries<HistoryEntry>(samples);
      let nth = 0;
      await fc.assert(
        fc.asyncProperty(fc.nat({ max: strange.length - 1 }), async (at) => {
          const threadId = `t${(nth += 1)}`;
          const batch = [...messages("a"), ...strange.slice(at, at + 1)];
          const code = await codeOf(store.append(threadId, batch));
          expect(await idsOf(store, threadId)).toMatch(code === undefined ? /^a ./u : /^$/u);
        }),
        { numRuns: runs },
      );
    });

    it("is refused by the same rule in every store, which names the key that JSON does not hold", async () => {
      const { store } = await stores();
      const refuse = async (entry: object, details: object): Promise<void> => {
        const error: unknown = await store.append("t", [asEntry(entry)]).catch((one) => one);
        expect(isHistoryError(error, "INVALID_ENTRY") && error.details).toMatchObject(details);
      };
      const note = { type: "note", id: "m", createdAtMs: 1 };
      for (const base of [note, { ...note, type: "user_message", content: "Hello" }])
        for (const value of [undefined, Number.NaN, 1n, new Date(0), () => 0, new Map()])
          await refuse(
            { ...base, metadata: { a: [{ key: value }] } },
            { path: "metadata.a.0.key", entryId: "m", entryType: base.type },
          );
      await refuse({ ...note, id: "" }, { path: "id" });
      await refuse({ ...note, createdAtMs: 1.5 }, { path: "createdAtMs" });
      await refuse({ ...note, v: 5 }, { path: "v" });
      await refuse({ ...note, payload: [Number.NaN] }, { path: "payload.0" });
      expect(await namesIn(store)).toEqual([]);
    });
  });
}

function asEntry(value: object): HistoryEntry {
  return value as HistoryEntry;
}

const agent = { id: "w1", role: "worker" } as const;
const opaque = { type: "opaque", data: { signature: "c2ln", deep: [{ "": null }, 1e-7] } } as const;
const origin = { format: "openai-chat", message: "u1", index: 0, derivedId: true } as const;
const answer = { createdAtMs: 4, agent, callId: "c1", toolName: "read" } as const;

const richEntries: readonly HistoryEntry[] = [
  userMessage({
    id: "u1",
    createdAtMs: 1,
    content: "What is in the file?",
    rendered: "Question: What is in the file?",
    turnId: "turn-1",
    origin: { ...origin, extra: { name: "Ann" } },
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
    agent,
    taskId: "task-1",
    phaseId: 1,
    content: [{ type: "reasoning", text: "First, read.", data: { signature: "abc" } }, opaque],
    toolCalls: [
      { id: "c1", name: "read", arguments: '{"path": "a.pdf"', kind: "function" },
      { id: "c1", name: "grep", arguments: "", extra: { index: 1 } },
    ],
  }),
  observation({
    ...answer,
    id: "o1",
    actionId: "a1",
    outcome: "success",
    content: [{ type: "text", text: "Found.", extra: { cache: true } }, opaque],
    sources: [
      { number: 0, id: "s0", text: "Evidence.", title: "A", uri: "a.pdf#L1" },
      { number: 7, id: "s7", text: "" },
    ],
    metadata: { durationMs: 12, nested: { list: [true, false, null] } },
  }),
  observation({ ...answer, id: "o2", outcome: "denied", content: "", pinned: true }),
  customEntry({ type: "note", id: "n1", createdAtMs: 6, content: "Likes tea.", stars: 5 }),
];
