import type { ProseCandidate, Speaker } from "./prose-candidates.ts";

/** Writes sentences by who says them, each in the order of the history: one line for the user, one for the agent, and so on. */
export function renderProse(sentences: readonly ProseCandidate[]): string {
  const inOrder = sentences.toSorted((one, other) => one.place - other.place);
  return SPEAKERS.flatMap(({ speaker, head, before }) => {
    const said = inOrder.filter((sentence) => sentence.speaker === speaker);
    if (said.length === 0) return [];
    return [head + said.map(({ text }) => before + text).join(" ")];
  }).join("\n");
}

const SPEAKERS: readonly {
  readonly speaker: Speaker;
  readonly head: string;
  readonly before: string;
}[] = [
  { speaker: "earlier", head: "", before: "" },
  { speaker: "user", head: "User: ", before: "" },
  { speaker: "agent", head: "Agent: ", before: "" },
  { speaker: "call", head: "", before: "The agent " },
  { speaker: "tool", head: "Tool: ", before: "" },
];
