import { join } from "node:path";

import { HistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { judged } from "../test-support/judged-session.ts";
import { stores } from "../test-support/open-stores.ts";
import type { OpenStores } from "../test-support/open-stores.ts";
import { historySession } from "./openai-agents.ts";

const said = (content: string): object => ({ role: "user", content });

describe.each(Object.entries(stores))("a session of the OpenAI Agents SDK in %s", (_, start) => {
  it("goes on in another process, applies what is tried again once, and takes each item away once", async () => {
    const { open, close } = await start();
    try {
      const [one, other] = [open(), open()].map((store) =>
        historySession({ store: unsure(store), threadId: "session" }),
      );
      if (one === undefined || other === undefined) throw new Error("Expected two handles.");
      for (let turn = 0; turn < 10; turn += 1) {
        await one.addItems([said(`question ${turn}`)]);
        const args = {
          operationId: `turn ${turn}`,
          transaction: { type: "append_items" as const, items: [said(`answer ${turn}`)] },
        };
        await Promise.all([one, other].map((session) => session.applyHistoryTransaction(args)));
      }
      const items = await historySession({ store: open(), threadId: "session" }).getItems();
      expect(items).toEqual(
        Array.from({ length: 10 }, (_turn, turn) => [
          said(`question ${turn}`),
          said(`answer ${turn}`),
        ]).flat(),
      );
      expect(await other.popItem()).toEqual(said("answer 9"));
      const edit = {
        operationId: "edit",
        transaction: {
          type: "replace_suffix" as const,
          expectedSuffix: [said("question 9")],
          replacement: [said("another question")],
        },
      };
      await Promise.all([one, other].map((session) => session.applyHistoryTransaction(edit)));
      expect(await one.getItems(2)).toEqual([said("answer 8"), said("another question")]);
      await one.clearSession();
      expect(await other.getItems()).toEqual([]);
    } finally {
      await close();
    }
  });
});

/** Every third write is done, and its answer lost. */
function unsure(store: HistoryStore): HistoryStore {
  let writes = 0;
  const write = async <Result>(done: Promise<Result>): Promise<Result> => {
    const result = await done;
    writes += 1;
    if (writes % 3 === 0) throw new HistoryError("lost", { code: "OUTCOME_UNKNOWN" });
    return result;
  };
  return {
    ...store,
    append: (...call) => write(store.append(...call)),
    replaceSuffix: (...call) => write(store.replaceSuffix(...call)),
  };
}

// The SDK's own tests of its `MemorySession`: the folder of openai/openai-agents-js.
const suites = process.env["OPENAI_AGENTS_JS"];

describe.skipIf(suites === undefined).each(Object.entries(stores))(
  "the tests of the Agents SDK's MemorySession, in %s",
  async (name, start) => {
    if (suites === undefined) return;
    let opened: OpenStores | undefined;
    beforeAll(async () => {
      opened = await start();
      judged.store = opened.open();
    });
    afterAll(() => opened?.close());
    await import(`${join(suites, "packages/agents-core/test/memorySession.test.ts")}?${name}`);
  },
);
