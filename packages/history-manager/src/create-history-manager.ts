import { countOption, HistoryError } from "@agent-history/core";
import { createReducer } from "@agent-history/reducer";

import type { HistoryManagerOptions } from "./history-manager-options.ts";
import type { HistoryManager, Scope } from "./history-manager.ts";
import { addVerbs } from "./internal/add-entries.ts";
import { copyNumbers, knownNumbers } from "./internal/citation-numbers.ts";
import { findSources } from "./internal/cited-sources.ts";
import { compressView, expandSummary } from "./internal/compress-view.ts";
import { historyForModelCall } from "./internal/history-for-model-call.ts";
import { newName, repeatLost } from "./internal/managed-thread.ts";
import type { ManagedThread } from "./internal/managed-thread.ts";
import { viewCache } from "./internal/read-view.ts";
import { contextOf, filterOf } from "./internal/resolve-call.ts";
import { serialQueue } from "./internal/write-entries.ts";
import { recallTools } from "./recall-tools.ts";

/**
 * Makes a history manager: one object for an agent loop that stores each message immediately and builds each prompt within the context window.
 *
 * Creating it reads and writes nothing. An existing thread is resumed: the same citation numbers, plans and prompts.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if an option can never work.
 *
 * @example
 * ```ts
 * import { memoryStore } from "@agent-history/store-kit";
 * import { createHistoryManager } from "@agent-history/history-manager";
 *
 * const counter = { id: "ones", countText: () => 1, countEntry: () => 1, countRequest: () => 0 };
 * const history = createHistoryManager({
 *   store: memoryStore(),
 *   threadId: "chat-1",
 *   counter,
 *   window: { contextTokens: 4 },
 * });
 * for (const name of ["Ada", "Bo", "Cy"]) {
 *   await history.addUserMessage({ content: `I am ${name}.` });
 *   await history.addAssistantMessage({ content: `Hello, ${name}.` });
 * }
 * await history.addUserMessage({ content: "Who am I?" });
 * const { entries } = await history.historyForModelCall({ systemMessage: "You greet." });
 * entries.map(({ content }) => content);
 * // => ["You greet.", "I am Cy.", "Hello, Cy.", "Who am I?"]
 * ```
 */
export function createHistoryManager(options: HistoryManagerOptions): HistoryManager {
  requireOptions(options);
  const { counter, reducer = createReducer({ counter }) } = options;
  const thread = {
    options,
    reducer,
    inOrder: serialQueue(),
    numbers: knownNumbers(),
    views: viewCache(options.store),
    given: { known: new WeakMap(), names: new Map() },
  };
  return managerInScope(thread, options.scope ?? {});
}

/** Assembles the methods for a thread and scope. */
function managerInScope(thread: ManagedThread, scope: Scope): HistoryManager {
  const { options } = thread;
  const { threadId } = options;
  const withScope = (other: Scope): HistoryManager =>
    managerInScope(thread, { ...scope, ...other });
  // Reads see all earlier writes, awaited or not.
  const afterWrites = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    await thread.inOrder(async () => {});
    return work();
  };
  const fork: HistoryManager["fork"] = async (request) =>
    afterWrites(async () => forkThread(thread, scope, request));
  return {
    threadId,
    scope,
    withScope,
    beginTurn: (turn = {}) => {
      const { turnId = newName(options), expectedVersion } =
        typeof turn === "string" ? { turnId: turn } : turn;
      if (expectedVersion !== undefined) countOption("expectedVersion", expectedVersion);
      const start = { expectedVersion };
      // A new turn has no phase and no task yet.
      return managerInScope({ ...thread, start }, { turnId, agent: scope.agent });
    },
    beginPhase: (phaseId) => withScope({ phaseId }),
    forTask: ({ id, agent, turnId = scope.turnId, phaseId = scope.phaseId }) =>
      managerInScope(thread, { turnId, phaseId, taskId: id, agent }),
    ...addVerbs(thread, scope),
    historyForModelCall: async (request, call) =>
      afterWrites(async () => historyForModelCall(thread, scope, { ...call, ...request })),
    read: async (query, { originals = false, signal } = {}) =>
      afterWrites(async () =>
        options.store.read(threadId, {
          originals,
          ...(query && { query }),
          ...(signal && { signal }),
        }),
      ),
    citedSources: async (text, call) => afterWrites(async () => findSources(thread, text, call)),
    recallTools: (given) => {
      const context = contextOf(scope, {});
      const { store, counter } = options;
      return recallTools({
        store,
        threadId,
        counter,
        context,
        filter: filterOf(options, context.role),
        ...given,
      });
    },
    compress: async (call) => afterWrites(async () => compressView(thread, scope, call)),
    expand: async (summaryId, call) => expandSummary(thread, summaryId, call),
    fork,
    branchFrom: async (entryId, call) => fork({ at: entryId, as: newName(options), ...call }),
  };
}

/** Creates a fork with the entries up to `at` and their citation numbers. */
async function forkThread(
  { options }: ManagedThread,
  scope: Scope,
  { at, as, signal }: Parameters<HistoryManager["fork"]>[0],
): Promise<HistoryManager> {
  const { store, threadId } = options;
  const call = { at, as, operationId: newName(options), ...(signal && { signal }) };
  const ask = async (): Promise<string> => (await store.fork(threadId, call)).threadId;
  const forkId = await repeatLost(ask, { ...options, signal });
  await copyNumbers({ store, threadId, signal }, forkId);
  return createHistoryManager({ ...options, threadId: forkId, scope });
}

function requireOptions(options: HistoryManagerOptions): void {
  const { store, window, maxRetries, threadId, maxHistoryShare = 1 } = options;
  if (typeof store?.append !== "function") {
    throw invalid("store", "a store, such as memoryStore()", typeof store);
  }
  if (typeof threadId !== "string" || threadId === "") {
    throw invalid("threadId", "a name", threadId === "" ? "an empty text" : typeof threadId);
  }
  const windows = "contextTokens" in window ? { window } : window;
  for (const [name, { contextTokens, outputReserveTokens = 0, marginTokens = 0 }] of Object.entries(
    windows,
  )) {
    countOption(`${name}.contextTokens`, contextTokens);
    countOption(`${name}.outputReserveTokens`, outputReserveTokens);
    countOption(`${name}.marginTokens`, marginTokens);
  }
  const share: unknown = maxHistoryShare;
  if (typeof share !== "number" || !(share >= 0 && share <= 1)) {
    const got = typeof share === "number" ? share : `a value of type ${typeof share}`;
    throw invalid("maxHistoryShare", "a number from 0 to 1", got);
  }
  countOption("maxRetries", maxRetries ?? 0);
}

function invalid(option: string, expected: string, got: string | number): HistoryError {
  return new HistoryError(`Expected \`${option}\` to be ${expected}, got ${got}.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}
