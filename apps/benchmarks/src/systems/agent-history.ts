import type { HistoryEntry, ReductionPlan, TokenCounter } from "@agent-history/core";
import { fromChatMessages, toChatMessages } from "@agent-history/openai";
import { fitToWindow } from "@agent-history/reducer";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";

import type { ChatMessage } from "../messages/chat-message.ts";
import type { Conversation, FitSystem } from "./fit-system.ts";

/** Ours: with the plan of the call before, or anew at every call. */
export function agentHistory(options: { readonly keepsPlan: boolean }): FitSystem {
  return {
    name: options.keepsPlan ? "agent-history, plan kept" : "agent-history, anew",
    open: (messages, contextTokens) => conversation(messages, contextTokens, options.keepsPlan),
  };
}

function conversation(
  messages: readonly ChatMessage[],
  contextTokens: number,
  keepsPlan: boolean,
): Conversation {
  const metered = meteredCounter();
  const chat = [...messages];
  let entries = fromChatMessages(chat);
  let previousPlan: ReductionPlan | undefined;
  return {
    append: (added) => {
      chat.push(...added);
      entries = fromChatMessages(chat);
    },
    fit: () => {
      const fitted = fitToWindow(entries, {
        window: { contextTokens },
        counter: metered.counter,
        ...(keepsPlan && previousPlan !== undefined && { previousPlan }),
      });
      previousPlan = fitted.plan;
      return () => toChatMessages(fitted.entries).map(plainMessage);
    },
    tokenised: metered.tokenised,
  };
}

/** Every entry came from a plain message, so that there is nothing else to be read. */
function plainMessage(message: ReturnType<typeof toChatMessages>[number]): ChatMessage {
  const plain: ChatMessage = JSON.parse(JSON.stringify(message));
  return plain;
}

/** Knows what was counted for the first time, and so tokenised. */
function meteredCounter(): { readonly counter: TokenCounter; readonly tokenised: () => number } {
  const exact = gptTokenizerCounter({ encoding: "o200k_base" });
  const seen = new WeakSet<HistoryEntry>();
  let tokenised = 0;
  const counter: TokenCounter = {
    ...exact,
    countEntry: (entry) => {
      const tokens = exact.countEntry(entry);
      if (!seen.has(entry)) {
        seen.add(entry);
        tokenised += tokens;
      }
      return tokens;
    },
  };
  return { counter, tokenised: () => tokenised };
}
