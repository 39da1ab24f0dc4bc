import { randomUUID } from "node:crypto";

import type { HistoryStore } from "@agent-history/core";

import { historySession } from "../src/openai-agents.ts";

/** The store that the sessions of a suite are made over. */
export const judged: { store?: HistoryStore } = {};

/** Makes what stands in place of `MemorySession` in the tests of the OpenAI Agents SDK: seeds the store before the first call, logs as theirs does, nothing else. */
function judgedSession({ sessionId = "", initialItems = [], logger }: Given = {}): object {
  if (judged.store === undefined) throw new Error("Expected a store to be judged.");
  // Theirs begins empty each time, also where an id comes again.
  const threadId = `${sessionId} ${randomUUID()}`;
  const session = historySession({ store: judged.store, threadId });
  const seeding = session.addItems(structuredClone(initialItems));
  const isQuiet = logger === undefined || logger.dontLogModelData || logger.dontLogToolData;
  const seeded = Object.entries(session).map(([name, method]) => [
    name,
    async (...args: readonly unknown[]) => {
      await seeding;
      const result: unknown = await Reflect.apply(method, session, args);
      if (!isQuiet) logger.debug(JSON.stringify(result));
      return result;
    },
  ]);
  return { ...Object.fromEntries(seeded), getSessionId: async () => sessionId };
}

interface Given {
  readonly sessionId?: string;
  readonly initialItems?: readonly object[];
  readonly logger?: { [Name in "dontLogModelData" | "dontLogToolData"]: boolean } & Console;
}

/** Called with `new`, it returns what the function does. */
export const MemorySession: unknown = judgedSession;
