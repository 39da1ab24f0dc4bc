import { splitSentences } from "../../facts/internal/split-sentences.ts";
import { wordsOfText } from "../../facts/internal/words-of-text.ts";
import { quoteData } from "../../gate/internal/quote-data.ts";
import { WORDS_HEAD } from "../../gate/internal/render-fact-list.ts";
import type { ProseCandidate, Speaker } from "./prose-candidates.ts";
import { DATA_HEADS } from "./render-data.ts";

/** The sentences of an earlier summary, by who said them, in their order and before all others. Its lists of facts are none. */
export function earlierCandidates(summary: string): readonly ProseCandidate[] {
  const lines = summary.split("\n").filter((line) => !LISTS.some((head) => line.startsWith(head)));
  const found = new Map<string, ProseCandidate>();
  for (const line of lines) {
    const { speaker, head } = HEADS.find((each) => line.startsWith(each.head)) ?? OWN;
    for (const { text, isFull } of splitSentences(line.slice(head.length))) {
      if (!isFull) continue;
      const isCall = speaker === "earlier" && text.startsWith(CALL);
      const said = quoteData(isCall ? text.slice(CALL.length) : text);
      const whose = isCall ? "call" : speaker;
      found.set(said, { place: 0, speaker: whose, text: said, words: wordsOfText(said) });
    }
  }
  const all = [...found.values()];
  return all.map((candidate, index) => ({ ...candidate, place: index - all.length }));
}

const LISTS: readonly string[] = [WORDS_HEAD, ...DATA_HEADS];
const CALL = "The agent ";
const OWN: { readonly speaker: Speaker; readonly head: string } = { speaker: "earlier", head: "" };
const HEADS: readonly { readonly speaker: Speaker; readonly head: string }[] = [
  { speaker: "user", head: "User: " },
  { speaker: "agent", head: "Agent: " },
  { speaker: "tool", head: "Tool: " },
];
