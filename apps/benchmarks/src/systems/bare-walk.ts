import type { ChatMessage } from "../messages/chat-message.ts";
import { messageCounter } from "../messages/count-messages.ts";
import type { FitSystem } from "./fit-system.ts";

/** The least that anything can do: walk backward over counts that are known, and stop at what does not fit. It keeps no law. */
export function bareWalk(): FitSystem {
  return {
    name: "bare backward walk",
    open: (messages, windowTokens) => {
      const counter = messageCounter({ remembers: false });
      const counts = new WeakMap<ChatMessage, number>();
      const log = [...messages];
      const count = (message: ChatMessage): number => {
        const known = counts.get(message);
        if (known !== undefined) return known;
        const tokens = counter.countMessage(message);
        counts.set(message, tokens);
        return tokens;
      };
      return {
        append: (added) => {
          log.push(...added);
          added.forEach(count);
        },
        fit: () => {
          const kept: ChatMessage[] = [];
          let tokens = 3;
          for (let index = log.length - 1; index >= 0; index--) {
            const message = log[index];
            if (message === undefined) break;
            tokens += count(message);
            if (tokens > windowTokens) break;
            kept.push(message);
          }
          const fitted = kept.toReversed();
          return () => fitted;
        },
        tokenized: counter.tokenized,
      };
    },
  };
}
