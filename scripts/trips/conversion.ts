import { fromChatMessages, toChatMessages } from "@agent-history/openai";

import { longHistory } from "./long-history.ts";
import type { Trip } from "./trip.ts";

/** OpenAI's messages to entries, and back. */
export const conversion: Trip = async () => {
  const messages = structuredClone(toChatMessages(longHistory));
  return () => toChatMessages(fromChatMessages(messages));
};
