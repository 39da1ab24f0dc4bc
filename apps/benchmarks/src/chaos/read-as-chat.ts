import type { HistoryEntry } from "@agent-history/core";
import { fromChatMessages, toChatMessages } from "@agent-history/openai";
import type { ChatMessage } from "@agent-history/openai";

import type { ChaosCall, ChaosCase } from "./chaos-case.ts";

/** Hands a call on as it is, or with its entries as they are read from the chat messages that they are written as. */
export function readerOf(form: ChaosCase["form"]): (call: ChaosCall) => ChaosCall {
  if (form === "entries") return (call) => call;
  const written = new Map<HistoryEntry, ChatMessage>();
  return (call) => {
    const { viewerId, ...others } = call;
    const viewer = viewerId === undefined ? {} : { agentId: viewerId };
    const messages = call.entries.flatMap((entry) => {
      const message = written.get(entry) ?? toChatMessages([entry], viewer)[0];
      if (message === undefined) return [];
      written.set(entry, message);
      return [form === "chat" ? message : structuredClone(message)];
    });
    return { ...others, entries: fromChatMessages(messages, { now: () => 0 }) };
  };
}
