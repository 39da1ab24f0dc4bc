import { SYNONYMS_OF_ACTIONS } from "./synonyms-of-actions.ts";
import { SYNONYMS_OF_THINGS } from "./synonyms-of-things.ts";
import { terms } from "./terms.ts";

const NONE: ReadonlySet<string> = new Set();

const alternatives = readGroups([...SYNONYMS_OF_ACTIONS, ...SYNONYMS_OF_THINGS]);

/** Returns the terms that stand for nearly the same as a term, in any of its meanings; not the term itself. */
export function alternativesOf(term: string): ReadonlySet<string> {
  return alternatives.get(term) ?? NONE;
}

function readGroups(groups: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>();
  for (const group of groups.map(terms)) {
    for (const term of group) {
      const others = group.filter((other) => other !== term);
      found.set(term, new Set([...(found.get(term) ?? []), ...others]));
    }
  }
  return found;
}
