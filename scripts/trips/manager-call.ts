import { memoryStore } from "@agent-history/core/memory-store";
import { createHistoryManager } from "@agent-history/history-manager";
import { createReducer } from "@agent-history/reducer";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";

import { longHistory } from "./long-history.ts";
import type { Trip } from "./trip.ts";

/** What a manager sends next: read, filtered, cleaned, fitted. */
export const managerCall: Trip = async () => {
  const counter = gptTokenizerCounter({ encoding: "o200k_base" });
  const manager = createHistoryManager({
    store: memoryStore(),
    threadId: "trip",
    counter,
    reducer: createReducer({ counter }),
    window: { contextTokens: 4000 },
  });
  await manager.append(longHistory);
  const turn = manager.beginTurn();
  await turn.addUserMessage({ content: "Which order did part 3 read?" });
  return () => turn.historyForModelCall({ systemMessage: "Answer shortly." });
};
