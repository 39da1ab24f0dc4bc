import { assistantMessage, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import type { ChatMessage } from "./chat-message.ts";
import { prose } from "./generate-history.ts";
import { seededRandom } from "./random.ts";

/** A long dialogue with questions about it. */
export interface Dialogue {
  readonly messages: readonly ChatMessage[];
  /** When each of them was said. */
  readonly createdAtMs: readonly number[];
  readonly questions: readonly DialogueQuestion[];
}

/** What is asked about a dialogue. */
export interface DialogueQuestion {
  readonly question: string;
  readonly answer: string;
  /** Places of the messages that hold the answer. */
  readonly evidence: readonly number[];
}

const PEOPLE = ["Ana", "Ben", "Carla", "Deniz", "Emil", "Fatma"] as const;
const THINGS = ["kayak", "violin", "greenhouse", "telescope", "bakery", "motorbike"] as const;
const DEEDS = ["sold", "repaired", "painted", "borrowed", "finished", "lost"] as const;

/** Generates dialogues in which single sentences, far apart, answer questions that are asked in other words around them. */
export function generatedDialogues(count: number): readonly Dialogue[] {
  return Array.from({ length: count }, (_, seed) => generatedDialogue(seed + 1));
}

function generatedDialogue(seed: number): Dialogue {
  const random = seededRandom(seed);
  const messages: ChatMessage[] = [];
  const questions: DialogueQuestion[] = [];
  for (const person of PEOPLE) {
    for (const thing of THINGS) {
      const deed = random.pick(DEEDS);
      for (let beside = 0; beside < 14; beside++) {
        messages.push({
          role: messages.length % 2 === 0 ? "user" : "assistant",
          content: prose(random, 15 + random.below(40)),
        });
      }
      questions.push({
        question: `What did ${person} do with the ${thing}?`,
        answer: `${person} ${deed} it.`,
        evidence: [messages.length],
      });
      messages.push({
        role: messages.length % 2 === 0 ? "user" : "assistant",
        content: `By the way, ${person} ${deed} the ${thing} ${prose(random, 8)}.`,
      });
    }
  }
  const createdAtMs = messages.map((_, index) => Date.UTC(2026, 0, 1) + index * 3_600_000);
  return { messages, createdAtMs, questions };
}

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
