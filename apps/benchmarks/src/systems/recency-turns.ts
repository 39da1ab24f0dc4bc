import type { ChatMessage } from "../messages/chat-message.ts";
import { messageCounter } from "../messages/count-messages.ts";
import type { FitSystem } from "./fit-system.ts";

/** What one writes in an afternoon: system messages, and the newest whole turns that fit. The yardstick of what is possible. */
export function recencyTurns(): FitSystem {
  return {
    name: "whole turns, by hand",
    open: (messages, windowTokens) => {
      const counter = messageCounter({ remembers: true });
      const log = [...messages];
      return {
        append: (added) => {
          log.push(...added);
          added.forEach(counter.countMessage);
        },
        fit: () => {
          const systems = log.filter(({ role }) => role === "system");
          const turns = splitTurns(log.filter(({ role }) => role !== "system"));
          let left = windowTokens - counter.countRequest(systems);
          const kept: ChatMessage[] = [];
          for (const turn of turns.toReversed()) {
            left -= counter.countRequest(turn) - 3;
            if (left < 0) break;
            kept.unshift(...turn);
          }
          return () => [...systems, ...kept];
        },
        tokenized: counter.tokenized,
      };
    },
  };
}

function splitTurns(messages: readonly ChatMessage[]): readonly (readonly ChatMessage[])[] {
  const turns: ChatMessage[][] = [];
  for (const message of messages) {
    if (message.role === "user" || turns.length === 0) turns.push([]);
    turns.at(-1)?.push(message);
  }
  return turns;
}
