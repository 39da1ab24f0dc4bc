import { isOnData } from "./all-lines.ts";
import type { ItemChoice, Offer } from "./choose-items.ts";
import type { Composition } from "./composition.ts";
import type { SummaryLine } from "./summary-line.ts";

/** What a fact is worth grows by less than its tokens: an amount says nearly as much as a long name, in work on data above all. */
const LENGTH_POWER = 0.7;
const LENGTH_POWER_OF_DATA = 0.4;

/** What choosing among lines needs to know. */
export function itemChoice(
  { facts, counter }: Composition,
  lines: readonly SummaryLine[],
): ItemChoice {
  const power = isOnData(lines) ? LENGTH_POWER_OF_DATA : LENGTH_POWER;
  const worths = new Map<string, number>();
  for (const { text, weight } of facts) {
    worths.set(text, weight * Math.ceil(text.length / 3) ** power);
  }
  const heads = new Map<string, number>();
  return {
    worth: (word) => worths.get(word) ?? 0,
    headTokens: ({ head, end }) => {
      const text = `\n${head}${end}`;
      const known = heads.get(text) ?? counter.countText(text);
      heads.set(text, known);
      return known;
    },
  };
}

/** Items beyond this many times the cap have no chance and are not counted. */
const CANDIDATES = 6;

/** Counts the items that have a chance: those that add most for their length. */
export function offersOf(
  lines: readonly SummaryLine[],
  { maxTokens, counter }: Composition,
  { worth }: ItemChoice,
): readonly Offer[] {
  const all = lines.flatMap((line) => line.items.map((item) => ({ line, item })));
  const rated = all.map((each) => {
    let sum = each.item.worth;
    for (const word of each.item.says) sum += worth(word);
    return { ...each, rate: sum / (each.item.text.length + 1) };
  });
  const ordered = rated.toSorted((one, other) => other.rate - one.rate);
  let left = maxTokens * CANDIDATES * 3;
  const wanted = new Set(
    ordered
      .filter(({ item }) => {
        left -= item.text.length;
        return left > 0;
      })
      .map(({ item }) => item),
  );
  return all
    .filter(
      ({ item, line }) => wanted.has(item) || (line.isSequence === true && item === line.items[0]),
    )
    .map(({ line, item }) => {
      return { line, item, tokens: counter.countText(`${line.joint}${item.text}`) };
    });
}
