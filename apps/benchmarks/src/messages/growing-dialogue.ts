import type { HistoryEntry } from "@agent-history/core";
import { assistantMessage, userMessage } from "@agent-history/core";

import type { Dialogue, DialogueQuestion } from "./dialogue.ts";
import { seededRandom } from "./random.ts";

/** When questions are asked in a dialogue that grows: while it goes on, or all of them at its end. */
export type Asking = (typeof ASKINGS)[number];

/** The ways to ask. */
export const ASKINGS = ["a question after every 5 messages", "one question after another"] as const;

/** Something that is said in a dialogue as it grows. */
export interface Said {
  readonly entry: HistoryEntry;
  /** Its place among the recorded messages. */
  readonly index?: number;
  readonly asks?: DialogueQuestion;
  /** The model is called for it; not measured before the first question is due. */
  readonly call?: "measured" | "unmeasured";
}

/** Between two questions so many messages are exchanged, where the dialogue has enough of them. */
const EVERY = 5;

/** One dialogue as it grows: the model is called at each message of the user's that is answered, and at each question. */
export function growDialogue(
  { messages, questions, createdAtMs }: Dialogue,
  asking: Asking,
): readonly Said[] {
  const isSpread = asking !== "one question after another";
  const random = seededRandom(questions.length);
  const open = [...questions];
  const said: Said[] = [];
  const say = (isUsers: boolean, content: string, atMs: number, more: Omit<Said, "entry">) => {
    const fields = { id: `m${said.length}`, createdAtMs: atMs, content };
    said.push({ ...more, entry: isUsers ? userMessage(fields) : assistantMessage(fields) });
  };
  const ask = (asks: DialogueQuestion, atMs: number): void => {
    say(true, asks.question, atMs, { asks, call: "measured" });
    say(false, asks.answer, atMs, {});
  };
  let since = 0;
  for (const [index, { role, content }] of messages.entries()) {
    const atMs = createdAtMs[index] ?? 0;
    const known = open.filter(({ evidence }) => evidence.every((one) => one < index));
    const asked = known[random.below(Math.max(1, known.length))];
    if (isSpread && role === "user" && since >= EVERY && asked !== undefined) {
      open.splice(open.indexOf(asked), 1);
      ask(asked, atMs);
      since = 0;
    }
    const isCalled = role === "user" && messages[index + 1]?.role === "assistant";
    const call = isCalled && ({ call: isSpread ? "measured" : "unmeasured" } as const);
    say(role === "user", typeof content === "string" ? content : "", atMs, { index, ...call });
    since += 1;
  }
  if (!isSpread) for (const one of questions) ask(one, createdAtMs.at(-1) ?? 0);
  return said;
}
