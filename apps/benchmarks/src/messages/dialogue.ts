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
