import { isHistoryError } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import { describe, expect, it } from "vitest";

import { langChainPage } from "../test-messages/pages/message-page.ts";
import { messageHistory } from "./message-history.ts";

const toMessage = (fields: object): object => fields;

describe("messageHistory", () => {
  it("gives back what was added, word for word, from another handle", async () => {
    const store = memoryStore();
    await messageHistory(store, "s1", { toMessage }).addMessages(langChainPage);
    const other = messageHistory(store, "s1", { toMessage });
    await other.addUserMessage("Go on.");
    await other.addAIMessage("Gone.");

    expect(await other.getMessages()).toEqual([
      ...langChainPage,
      { type: "human", content: "Go on." },
      { type: "ai", content: "Gone." },
    ]);
    expect(await messageHistory(store, "s2", { toMessage }).getMessages()).toEqual([]);
  });

  it("adds the same messages once more, more than a batch of them, and after a clear", async () => {
    const store = memoryStore();
    const history = messageHistory(store, "s1", { toMessage });
    const many = Array.from({ length: 1100 }, (_, at) => ({
      type: "human",
      content: `M${at}`,
      id: "i",
    }));
    await history.addMessages(many);
    await history.addMessages(many.slice(0, 1));

    expect(await history.getMessages()).toEqual([...many, many[0]]);
    await Promise.all([history.clear(), messageHistory(store, "s1", { toMessage }).clear()]);
    expect(await history.getMessages()).toEqual([]);
    await history.clear();
    await history.addMessages(many.slice(0, 2));
    expect(await history.getMessages()).toEqual(many.slice(0, 2));
    await history.clear();
    expect(JSON.stringify([await store.read("s1", { originals: true })])).not.toContain("M1");
    await history.addUserMessage("Again.");
    // The end of the thread is replaced by somebody else, and what was cleared before is not missed.
    const [last] = (await store.read("s1")).entries;
    const replacement = { expectedVersion: "any", replacement: [], operationId: "o" } as const;
    await store.replaceSuffix("s1", { from: last?.id ?? "", ...replacement });
    expect(await history.getMessages()).toEqual([]);
    await messageHistory(store, "empty", { toMessage }).clear();
    expect((await store.read("empty")).version).toBe(0);
  });

  it("adds more bytes at once than a store takes in a batch", async () => {
    const history = messageHistory(memoryStore(), "s1", { toMessage });
    const many = Array.from({ length: 6 }, (_, nth) => ({
      type: "human",
      content: `${nth}`.repeat(900_000),
    }));
    await history.addMessages(many);

    expect(await history.getMessages()).toEqual(many);
  });

  it("refuses to be made without a way to make messages, and says that nothing is stored of itself", () => {
    expect(() => messageHistory(memoryStore(), "s1", {} as never)).toThrow(
      expect.toSatisfy((error: unknown) => isHistoryError(error, "INVALID_OPTION")),
    );
    const history = messageHistory(memoryStore(), "s1", { toMessage });
    expect(history.toJSON()).toMatchObject({ lc: 1, type: "not_implemented" });
    expect(history.toJSONNotImplemented()).toEqual(history.toJSON());
  });
});
