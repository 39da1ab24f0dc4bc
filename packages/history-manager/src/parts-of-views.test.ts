import { action, attachment, userMessage } from "@agent-history/core";
import type { HistoryEntry, HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import { describe, expect, it } from "vitest";

import { intercept } from "../test-support/faulty-store.ts";
import { managerOptions } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";
import type { ModelCallHistory } from "./index.ts";

const THREAD = "thread-1";

function ask(store: HistoryStore, contextTokens: number): Promise<ModelCallHistory> {
  const options = managerOptions({ store, window: { contextTokens } });
  return createHistoryManager(options).historyForModelCall({ systemMessage: "You answer." });
}

/** What another process shows, which keeps no plan. */
async function shownFresh(store: HistoryStore, contextTokens: number): Promise<ModelCallHistory> {
  const fresh = memoryStore({ sharing: store });
  return ask({ ...fresh, setState: async () => ({ revision: 1_000_000 }) }, contextTokens);
}

function said(id: string, content: string): HistoryEntry {
  return userMessage({ id, createdAtMs: 1, content });
}

function lostCall(id: string): HistoryEntry {
  const toolCalls = [{ id: "c", name: "look", arguments: "{}" }];
  return action({ id, createdAtMs: 1, toolCalls });
}

interface Gate {
  readonly open: () => void;
  readonly opened: Promise<void>;
}

function gate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

describe("a view of which parts were read", () => {
  it("is read whole again once a result was lost: what the plan dropped is not forgotten", async () => {
    const store = memoryStore();
    const options = managerOptions({ store, window: { contextTokens: 600 } });
    const history = createHistoryManager(options);
    for (let turn = 0; turn < 20; turn++) {
      await history.addUserMessage({ id: `u${turn}`, content: "x".repeat(60) });
      await ask(store, 600);
      await history.addAssistantMessage({ id: `a${turn}`, content: "y".repeat(60) });
    }
    await ask(store, 600);
    await store.append(THREAD, [lostCall("x"), said("v", "Are you there?")]);

    for (const contextTokens of [600, 600, 100_000]) {
      const expected = await shownFresh(store, contextTokens);
      const { counts } = await ask(store, contextTokens);
      expect(counts).toEqual(expected.counts);
    }
  });

  it("gives no entry twice where another process kept an older plan meanwhile", async () => {
    const shared = memoryStore();
    const [hasRead, mayWrite] = [gate(), gate()];
    const other = intercept(memoryStore({ sharing: shared }), async (verb, run) => {
      if (verb === "setState") {
        hasRead.open();
        await mayWrite.opened;
      }
      return run();
    });
    await shared.append(THREAD, [said("u0", "One."), said("u1", "Two.")]);
    const ofOther = ask(other, 5000);
    await hasRead.opened;
    const upload = { createdAtMs: 1, messageId: "u2", content: "z".repeat(900) };
    await shared.append(THREAD, [said("u2", "Three."), attachment({ id: "f1", ...upload })]);
    const store = intercept(memoryStore({ sharing: shared }), async (verb, run) => {
      if (verb === "setState") {
        mayWrite.open();
        await ofOther;
      }
      return run();
    });
    // It has read four entries; the plan of two stands.
    await ask(store, 5000);
    await shared.append(THREAD, [lostCall("x1"), said("u3", "Four.")]);

    for (const more of [undefined, said("u4", "Five."), said("u5", "Six.")]) {
      if (more !== undefined) await shared.append(THREAD, [more]);
      const expected = await shownFresh(shared, 5000);
      const { plan, entries } = await ask(store, 5000);
      expect(entries.map(({ id }) => id)).toEqual(expected.entries.map(({ id }) => id));
      expect(plan.repairs).toEqual(expected.plan.repairs);
    }
  });

  it("shows what is stored now where the thread was made anew with the same ids", async () => {
    let current = memoryStore();
    await current.append(THREAD, [said("u0", "Old one."), said("u1", "Old two.")]);
    const moving = new Proxy(current, { get: (_, verb) => Reflect.get(current, verb) });
    await ask(moving, 5000);
    current = memoryStore();
    await current.append(THREAD, [said("u0", "New one."), said("u1", "New two.")]);

    for (let call = 0; call < 2; call++) {
      const { entries } = await ask(moving, 5000);
      expect(entries.slice(1).map(({ content }) => content)).toEqual(["New one.", "New two."]);
    }
  });
});
