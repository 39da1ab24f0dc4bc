import type { MaybeAsync } from "../../internal/maybe-async.ts";
import type { Block } from "../../internal/seal-plan.ts";
import type { ContinuedFit, Planned } from "../../recall.ts";
import { keptWhole } from "./kept-whole.ts";
import { quoteBlock } from "./quote-block.ts";

/** Leaves out of blocks what a cut brings back as it is; one that quotes nothing else goes. */
export function* unquote(
  blocks: readonly Block[],
  cut: Planned,
  { continuation: { entries }, context }: ContinuedFit,
): MaybeAsync<readonly Block[]> {
  const whole = keptWhole(cut);
  const left: Block[] = [];
  for (const block of blocks) {
    const quoted = block.quoted.filter((entry) => !whole.has(entry));
    const before = entries[block.at];
    if (quoted.length === block.quoted.length) left.push(block);
    else if (quoted.length > 0 && before !== undefined) {
      const entry = quoteBlock(block.recall, quoted, before);
      const tokens = yield* context.count(entry);
      const indexes = quoted.map((one) => entries.indexOf(one)).concat(block.at);
      const quotes = quoted.map(({ id }) => id);
      left.push({ ...block, recall: { ...block.recall, quotes, indexes, tokens }, entry, quoted });
    }
  }
  return left;
}
