import { linesOf } from "./all-lines.ts";
import { emptySelection } from "./choose-items.ts";
import type { Selection } from "./choose-items.ts";
import type { Composition } from "./composition.ts";
import { itemChoice } from "./item-offers.ts";
import { missingLines } from "./missing-lines.ts";
import { stepsOf } from "./part-steps.ts";
import { renderLines } from "./render-lines.ts";
import type { SummaryPart } from "./summary-line.ts";

/** Rounds: parts count mostly less together than alone, and what that leaves is filled. */
const ROUNDS = 3;

/** Composes the parts of a summary under a cap. */
export function composeParts(composition: Composition): string {
  const { maxTokens, counter, besides } = composition;
  if (maxTokens === 0) return "";
  const all = linesOf(composition);
  const choice = itemChoice(composition, all);
  const lines = besides === undefined ? all : missingLines(all, besides);
  const steps = stepsOf(lines, composition, choice);
  const selection = emptySelection();
  let room = maxTokens;
  for (let round = 0; round < ROUNDS && room > 0; round++) {
    let left = room;
    for (const { offers, choose, share, least = 0, spared = 0 } of steps) {
      const wanted = share >= 1 ? left * (1 - spared) : Math.max(room * share, least);
      // Shares of no cap are no numbers.
      const tokens = room === Infinity ? Infinity : Math.min(left, wanted);
      left -= choose(offers, tokens, selection, choice);
    }
    room = maxTokens - counter.countText(textOf(selection));
    if (maxTokens === Infinity) break;
  }
  return textUnderCap(selection, composition);
}

function textOf({ lines, items, offers }: Selection): string {
  const told = new Set<string>();
  for (const { line, item } of offers) {
    if (FILE_PARTS.has(line.part)) for (const word of item.says) told.add(word);
  }
  return renderLines(
    [...lines].map((line) => {
      const chosen = line.items.filter((item) => items.has(item));
      if (line.part !== "others") return { line, items: chosen };
      // A file whose path is told needs no name of its own.
      const rest = chosen.filter(({ says }) => [...says].some((word) => !told.has(word)));
      return { line, items: rest };
    }),
  );
}

const FILE_PARTS: ReadonlySet<SummaryPart> = new Set(["changed", "read", "mentioned"]);

/** Parts may count more together than alone: then those that were chosen last go, until the text fits. */
function textUnderCap(selection: Selection, { maxTokens, counter }: Composition): string {
  let text = textOf(selection);
  while (text !== "") {
    let excess = counter.countText(text) - maxTokens;
    if (!(excess > 0)) break;
    while (excess > 0 && selection.offers.length > 0) {
      const last = selection.offers.pop();
      if (last === undefined) break;
      selection.items.delete(last.item);
      excess -= last.tokens;
    }
    text = textOf(selection);
  }
  return text;
}
