/** In how many passages of a folder each word of a query stands, by its stem. */
export interface WordCounts {
  /** All passages of the folder. */
  readonly passages: number;
  readonly counts: ReadonlyMap<string, WordCount>;
}

/** Where a word stands. */
export interface WordCount {
  /** In how many passages it stands itself. */
  readonly own: number;
  /** In how many of them the most common of the words stands that mean nearly the same. */
  readonly others: number;
}

const LINE = /^Of (\d+) passages, each word stem stands in: (.*)\.$/m;
const WORD = /^(\S+) (\d+)(?: \(other words: (\d+)\))?$/;

/** Writes counts as one line, which reports and syntheses pass on: "Of 120 passages, each word stem stands in: pump 7, leak 0." */
export function writeWordCounts({ passages, counts }: WordCounts): string {
  const words = [...counts].map(([term, { own, others }]) =>
    own > 0 || others === 0 ? `${term} ${own}` : `${term} 0 (other words: ${others})`,
  );
  return `Of ${passages} passages, each word stem stands in: ${words.join(", ")}.`;
}

/** Reads the lines that {@link writeWordCounts} wrote out of some texts; nothing where there is none. */
export function readWordCounts(texts: readonly string[]): WordCounts | undefined {
  const counts = new Map<string, WordCount>();
  let passages = 0;
  for (const text of texts) {
    const [, all = "0", words = ""] = LINE.exec(text) ?? [];
    passages = Math.max(passages, Number(all));
    for (const word of words.split(", ")) {
      const [, term, own = "0", others = "0"] = WORD.exec(word) ?? [];
      if (term !== undefined) counts.set(term, { own: Number(own), others: Number(others) });
    }
  }
  return passages === 0 ? undefined : { passages, counts };
}
