import { describe, expect, it } from "vitest";

import { resolveFollowUp } from "./resolve-follow-up.ts";
import type { Utterance } from "./utterance.ts";

const HISTORY: readonly Utterance[] = [
  { speaker: "user", text: "How do valves work?" },
  {
    speaker: "assistant",
    text: "src/valve.py:1-2 [source0]:\n> A valve opens.\n\nnotes/pump.md:3-4 [source1]:\n> A pump.",
  },
  { speaker: "user", text: "When is a tomato ripe?" },
  { speaker: "assistant", text: "notes/tomatoes.md:5-6 [source2]:\n> When it is red." },
];

describe("resolveFollowUp", () => {
  it.each([
    [
      "Does that valve you found first open by itself?",
      "Does valve open by itself? (see `src/valve.py`)",
    ],
    ["What else does the file we saw first say?", "What else does valve say? (see `src/valve.py`)"],
    ["Is the pump you named loud?", "Is pump loud? (see `notes/pump.md`)"],
    ["And what about that?", "And what about tomatoes? (see `notes/tomatoes.md`)"],
    ["Does it need sun?", "Does tomatoes need sun? (see `notes/tomatoes.md`)"],
    ["Why is that pump so loud?", "Why is pump so loud? (see `notes/pump.md`)"],
  ])("names what %j points at", (question, resolved) => {
    expect(resolveFollowUp([...HISTORY, { speaker: "user", text: question }])).toBe(resolved);
  });

  it.each([
    "How does a worker's filter decide what it sees?",
    "Is this aeroplane fast?",
    "What is compost?",
    "Who first grew tomatoes?",
    "",
  ])("leaves %j as it is", (question) => {
    expect(resolveFollowUp([...HISTORY, { speaker: "user", text: question }])).toBe(question);
  });

  it("leaves a question as it is where nothing was said before", () => {
    const question = "Does that valve you found first open by itself?";

    expect(resolveFollowUp([{ speaker: "user", text: question }])).toBe(question);
    expect(resolveFollowUp([])).toBe("");
  });
});
