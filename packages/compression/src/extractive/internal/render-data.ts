import { quoteData } from "../../gate/internal/quote-data.ts";
import type { WeighedFact } from "../../gate/internal/weigh-facts.ts";

/** How sentences begin that tell what results say. */
export const DATA_HEADS: readonly [string, string] = ["The tools gave ", "They also gave "];

/** Values in one sentence, more or less. */
const MOST_VALUES = 12;

/** Tells in sentences what results say, each value after the name it has there: `The tools gave date 2024-05-24.` */
export function renderData(facts: readonly WeighedFact[]): string {
  const groups = new Map<string, string[]>();
  for (const { text, label = "" } of facts) {
    const values = groups.get(label) ?? [];
    groups.set(label, values);
    values.push(quoteData(text));
  }
  const sentences: string[][] = [];
  let values = Infinity;
  for (const [label, said] of groups) {
    if (values >= MOST_VALUES) {
      sentences.push([]);
      values = 0;
    }
    sentences.at(-1)?.push(`${quoteData(label)} ${said.join(" and ")}`);
    values += said.length;
  }
  return sentences
    .map((parts, index) => `${DATA_HEADS[index === 0 ? 0 : 1]}${parts.join(", ")}.`)
    .join(" ");
}
