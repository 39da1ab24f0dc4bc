import type { ChatMessage } from "./chat-message.ts";
import { prose } from "./generate-history.ts";
import { seededRandom } from "./random.ts";

/** So many texts are made; results take turns with them. */
const TEXTS = 40;
const SHORTEST = 20_000;
const LONGEST = 100_000;

/** Gives every tool result of a conversation a text of 20,000 to 100,000 characters. */
export function withLongResults(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  let nth = 0;
  return messages.map((message) => {
    if (message.role !== "tool") return message;
    nth += 1;
    return { ...message, content: longTexts()[nth % TEXTS] ?? "" };
  });
}

let made: readonly string[] | undefined;

function longTexts(): readonly string[] {
  const random = seededRandom(6);
  made ??= Array.from({ length: TEXTS }, (_, nth) =>
    prose(random, LONGEST / 4).slice(0, SHORTEST + (nth * (LONGEST - SHORTEST)) / (TEXTS - 1)),
  );
  return made;
}
