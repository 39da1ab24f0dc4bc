import type { HistoryEntry, ReductionPlan, TokenCounter } from "@agent-history/core";
import { fromChatMessages, toChatMessages } from "@agent-history/openai";
import { fitToWindow } from "@agent-history/reducer";
import { openaiImageTokens } from "@agent-history/tokens";
import { gptTokenizerCounter } from "@agent-history/tokens/gpt-tokenizer";

import type { ChatMessage } from "../messages/chat-message.ts";
import type { Conversation, FitSystem } from "./fit-system.ts";

/** Ours: with the plan of the call before, or stateless at every call. */
export function agentHistory(options: { readonly keepsPlan: boolean }): FitSystem {
  return {
    name: options.keepsPlan ? "agent-history, incremental" : "agent-history, stateless",
    open: (messages, contextTokens) => conversation(messages, contextTokens, options.keepsPlan),
  };
}

function conversation(
  messages: readonly ChatMessage[],
  contextTokens: number,
  keepsPlan: boolean,
): Conversation {
  const metered = meteredCounter();
  const entries = [...fromChatMessages(messages)];
  let previousPlan: ReductionPlan | undefined;
  return {
    append: (added) => {
      let index = entries.length;
      const more = fromChatMessages(added, { newId: () => `appended-${(index += 1)}` });
      for (const entry of more) metered.counter.countEntry(entry);
      // As a loop keeps it, and as the bare walk does: a copy of all would empty the processor's caches before each fit.
      entries.push(...more);
    },
    fit: () => {
      const fitted = fitToWindow(entries, {
        window: { contextTokens },
        counter: metered.counter,
        ...(keepsPlan && previousPlan !== undefined && { previousPlan }),
      });
      previousPlan = fitted.plan;
      // Where all fits it is the list itself, which grows.
      const { length } = fitted.entries;
      return () => toChatMessages(fitted.entries.slice(0, length)).map(plainMessage);
    },
    tokenized: metered.tokenized,
  };
}

/** Ours with all that a call costs, messages in and messages out: the whole chat is passed at each call. */
export function agentHistoryCall(): FitSystem {
  return {
    name: "agent-history",
    open: (messages, contextTokens) => {
      const { counter } = meteredCounter();
      let whole = [...messages];
      let previousPlan: ReductionPlan | undefined;
      return {
        append: (added) => void whole.push(...added),
        handIn: (parsed) => {
          whole = [...parsed];
        },
        fit: () => {
          const { entries, plan } = fitToWindow(fromChatMessages(whole), {
            window: { contextTokens },
            counter,
            ...(previousPlan !== undefined && { previousPlan }),
          });
          previousPlan = plan;
          const sent = toChatMessages(entries);
          return () => sent.map(plainMessage);
        },
      };
    },
  };
}

/** Every entry came from a plain message, so that there is nothing else to be read. */
function plainMessage(message: ReturnType<typeof toChatMessages>[number]): ChatMessage {
  const plain: ChatMessage = JSON.parse(JSON.stringify(message));
  return plain;
}

/** A counter that keeps account of what it had to tokenize. */
interface MeteredCounter {
  readonly counter: TokenCounter;
  readonly tokenized: () => number;
}

/** Knows what it counted before, and keeps account of what it had to tokenize. A conversation has one viewer. */
function meteredCounter(): MeteredCounter {
  const imageTokens = openaiImageTokens("gpt-6");
  let ofImages = 0;
  const exact = gptTokenizerCounter({
    encoding: "o200k_base",
    imageTokens: (image) => {
      const tokens = imageTokens(image);
      ofImages += tokens;
      return tokens;
    },
  });
  // Reads its tables at the first text: start-up is measured by itself.
  exact.countText("Hello");
  const counts = new WeakMap<HistoryEntry, number>();
  let tokenized = 0;
  const counter: TokenCounter = {
    ...exact,
    countText: (text, limit) => {
      const tokens = exact.countText(text, limit);
      tokenized += tokens;
      return tokens;
    },
    countEntry: (entry, viewer) => {
      const known = counts.get(entry);
      if (known !== undefined) return known;
      // Nothing of an image is tokenized.
      ofImages = 0;
      const tokens = exact.countEntry(entry, viewer);
      counts.set(entry, tokens);
      tokenized += tokens - ofImages;
      return tokens;
    },
  };
  return { counter, tokenized: () => tokenized };
}
