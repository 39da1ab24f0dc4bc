import { compressHistory } from "@agent-history/compression";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";

import { longHistory } from "./long-history.ts";
import type { Trip } from "./trip.ts";

/** A summary of the older part of a history, without a model. */
export const compression: Trip = async () => {
  const options = { counter: gptTokenizerCounter({ encoding: "o200k_base" }), tailTokens: 1000 };
  return () => compressHistory(longHistory, options);
};
