import { fitToWindow } from "@agent-history/reducer";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";

import { longHistory } from "./long-history.ts";
import type { Trip } from "./trip.ts";

/** The first fit of a history that is too long. */
export const coldFit: Trip = async () => {
  const options = {
    window: { contextTokens: 4000 },
    counter: gptTokenizerCounter({ encoding: "o200k_base" }),
  };
  return () => fitToWindow(longHistory, options);
};
