import type { ForkedIndex, ReferenceRow } from "@agent-history/store-kit";

/** What is written of an index before others have their turn, in rows. */
const PART_ROWS = 1000;

type Part = Pick<ForkedIndex, "facts" | "references">;

/** Takes an index apart, its streams in the order of their rows. An index that is small is one part. */
export function* partsOf({ facts, references }: ForkedIndex): Generator<Part> {
  let taken = newPart();
  for (const [key, fact] of facts) {
    taken.facts.set(key, fact);
    taken.left -= 1;
    if (taken.left > 0) continue;
    yield taken;
    taken = newPart();
  }
  for (const [stream, rows] of references) {
    for (let from = 0; from < rows.length;) {
      const some = rows.slice(from, from + taken.left);
      taken.references.set(stream, some);
      taken.left -= some.length;
      from += some.length;
      if (taken.left > 0) continue;
      yield taken;
      taken = newPart();
    }
  }
  yield taken;
}

function newPart() {
  const facts = new Map<string, string>();
  const references = new Map<string, readonly ReferenceRow[]>();
  return { facts, references, left: PART_ROWS };
}
