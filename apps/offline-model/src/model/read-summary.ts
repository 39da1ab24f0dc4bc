import { ASKED } from "./summary-lines.ts";
import type { Utterance } from "./utterance.ts";

/** Reads what was said out of the summary that stands for it: each question, and below it the places that its answer cited. */
export function readSummary(text: string): readonly Utterance[] {
  const turns = text.split(/^(?=Asked: )/m);
  return turns.flatMap((turn): readonly Utterance[] => {
    const [asked = "", ...found] = turn.split("\n");
    const answer: Utterance = { speaker: "assistant", text: found.join("\n") };
    // The question of the oldest may have been left out for want of room.
    return asked.startsWith(ASKED)
      ? [{ speaker: "user", text: asked.slice(ASKED.length) }, answer]
      : [answer];
  });
}
