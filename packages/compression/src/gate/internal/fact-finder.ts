import type { Fact } from "../../facts/fact.ts";
import { wordsOfText } from "../../facts/internal/words-of-text.ts";
import { isSentenceKind } from "./is-sentence-kind.ts";

/** Returns whether facts stand in a text; more text may be added. */
export interface FactFinder {
  readonly has: (fact: Pick<Fact, "kind" | "text">) => boolean;
  readonly add: (text: string) => void;
}

/**
 * Finds words whole, as they are, and sentences by their words: one of which seven in ten are in the text is contained in
 * other words. Linear in text and facts.
 */
export function factFinder(text = ""): FactFinder {
  const words = new Set<string>();
  const plain = new Set<string>();
  const finder: FactFinder = {
    has: (fact) =>
      isSentenceKind(fact.kind) ? mostOf(plainWords(fact.text), plain) : words.has(fact.text),
    add: (more) => {
      for (const word of wordsOfText(more)) words.add(word);
      for (const word of plainWords(more)) plain.add(word);
    },
  };
  finder.add(text);
  return finder;
}

const TOLD = 0.7;

function mostOf(wanted: readonly string[], there: ReadonlySet<string>): boolean {
  if (wanted.length === 0) return false;
  return wanted.filter((word) => there.has(word)).length >= wanted.length * TOLD;
}

/** Words without regard to case; of scripts without spaces each letter. */
function plainWords(text: string): readonly string[] {
  return text.toLowerCase().match(PLAIN_WORDS) ?? [];
}

const PLAIN_WORDS =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])[\p{L}\p{N}_])+/gu;
