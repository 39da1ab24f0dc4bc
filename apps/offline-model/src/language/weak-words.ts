import { terms } from "./terms.ts";

/** Words that a question is asked with, and that say little of what it is about. */
const WEAK_WORDS = [
  "able actually allow allowed answer anybody anyone anything ask become begin behave best better big come contain deal decide different",
  "difference easy else everybody everyone everything exactly example exist explain expect find first forever give go good happen here",
  "hold instead keep kind know let like list little long look lot make many matter need new nobody nothing now often old part people",
  "place please point possible put question reason right second see seem simple someone something sort speak sure take talk there thing",
  "never think three time try turn two type use used useful using want way well word wrong",
  "came found gave given gone got held kept knew known made meant said saw seen shown taken thought told took went",
].join(" ");

const weak: ReadonlySet<string> = new Set(terms(WEAK_WORDS));

/** Returns whether a term says little of what a question is about. */
export function isWeak(term: string): boolean {
  return weak.has(term);
}
