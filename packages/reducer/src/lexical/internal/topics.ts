/** What is known of topics: the words that belong to each, and what entries say of them. */
export interface Topics {
  /** The topics that a term belongs to. */
  readonly ofTerm: ReadonlyMap<string, readonly number[]>;
  /** The terms that name a topic. */
  readonly names: ReadonlyMap<number, ReadonlySet<string>>;
}

/** By topic, how many different terms of it entries have, by their indexes. */
export type TopicIndex = Map<number, Map<number, number>>;

/** Reads topics; the first word of each names it. */
export function readTopics(
  groups: Iterable<readonly string[]>,
  termsOf: (text: string) => readonly string[],
): Topics {
  const ofTerm = new Map<string, number[]>();
  const names = new Map<number, ReadonlySet<string>>();
  let topic = 0;
  for (const words of groups) {
    names.set(topic, new Set(termsOf(words[0] ?? "")));
    for (const term of new Set(words.flatMap((word) => termsOf(word)))) {
      const known = ofTerm.get(term);
      if (known === undefined) ofTerm.set(term, [topic]);
      else known.push(topic);
    }
    topic += 1;
  }
  return { ofTerm, names };
}

/** Adds that one term of an entry belongs to topics. */
export function indexTopics(
  index: TopicIndex,
  entryIndex: number,
  topics: readonly number[],
): void {
  for (const topic of topics) {
    const counts = index.get(topic) ?? new Map<number, number>();
    index.set(topic, counts);
    counts.set(entryIndex, (counts.get(entryIndex) ?? 0) + 1);
  }
}
