import type { ReductionPlan } from "@agent-history/core";
import { fromChatMessages, toChatMessages } from "@agent-history/openai";
import { fitToWindow } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";

import { messageCounter } from "../messages/count-messages.ts";
import { remembered } from "../messages/remembered.ts";
import type { FitSystem } from "./fit-system.ts";

/** Ours: with the previous plan, or stateless at every call. */
export function agentHistory(options: { readonly isIncremental: boolean }): FitSystem {
  return {
    name: options.isIncremental ? "agent-history, incremental" : "agent-history, stateless",
    leavesOut: "conversion of messages",
    open: (messages, contextTokens) => {
      const counter = tiktokenCounter({ encoding: "o200k_base" });
      // Reads its tables: `cold` measures that.
      counter.countText("Hello");
      const log = [...fromChatMessages(messages)];
      let previousPlan: ReductionPlan | undefined;
      return {
        append: (added) => {
          let index = log.length;
          const more = fromChatMessages(added, { newId: () => `appended-${(index += 1)}` });
          for (const entry of more) counter.countEntry(entry);
          log.push(...more);
        },
        fit: () => {
          const { entries, plan } = fitToWindow(log, {
            window: { contextTokens },
            counter,
            ...(previousPlan !== undefined && { previousPlan }),
          });
          if (options.isIncremental) previousPlan = plan;
          // Where all fits it is the log itself, which grows.
          const { length } = entries;
          return () => JSON.parse(JSON.stringify(toChatMessages(entries.slice(0, length))));
        },
      };
    },
  };
}

/** The least that anything can do: walk backward over known counts, and stop at what does not fit. It keeps no law. */
export function bareWalk(): FitSystem {
  return {
    name: "bare backward walk",
    leavesOut: "everything but the sum",
    open: (messages, windowTokens) => {
      const { countMessage } = messageCounter();
      const count = remembered(countMessage);
      const log = [...messages];
      return {
        append: (added) => {
          log.push(...added);
          added.forEach(count);
        },
        fit: () => {
          let tokens = 3;
          const start = log.findLastIndex((message) => (tokens += count(message)) > windowTokens);
          const fitted = log.slice(start + 1);
          return () => fitted;
        },
      };
    },
  };
}
