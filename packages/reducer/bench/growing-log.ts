import { action, assistantMessage, observation, userMessage } from "@agent-history/core";
import type { HistoryEntry, TokenCounter } from "@agent-history/core";

const counted = new WeakMap<HistoryEntry, number>();
/** Counts characters, and caches the count of each entry. */
export const cachingCounter: TokenCounter = {
  id: "cached",
  countText: (text) => Math.ceil(text.length / 4),
  countRequest: () => 3,
  countEntry: (entry) => {
    const known = counted.get(entry);
    if (known !== undefined) return known;
    const tokens =
      4 + Math.ceil(JSON.stringify("content" in entry ? entry.content : "").length / 4);
    counted.set(entry, tokens);
    return tokens;
  },
};

let state = 1;

/** Returns a question, a call, its result and an answer. */
export function turnOf(nth: number): readonly HistoryEntry[] {
  const id = `call-${nth}`;
  return [
    userMessage({ content: words(60) }),
    action({ toolCalls: [{ id, name: "search", arguments: '{"query":"box"}' }] }),
    observation({ callId: id, toolName: "search", outcome: "success", content: words(90) }),
    assistantMessage({ content: words(60) }),
  ];
}

/** Returns `count` words, different ones at each call. */
export function words(count: number): string {
  const some = "the quick brown fox jumps over a lazy dog while seven wizards box".split(" ");
  return Array.from({ length: count }, () => {
    state = (state * 48_271) % 0x7fff_ffff;
    return some[state % some.length] ?? "";
  }).join(" ");
}
