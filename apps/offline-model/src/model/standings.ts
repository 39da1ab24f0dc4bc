/** How far each document stands ahead of others, by path: 1 for the first. */
export type Standings = ReadonlyMap<string, number>;

/** How much less each further document stands. */
const STEP = 0.15;

/** Reads how documents stand from lists that begin with the best; where several name a document, the list counts that puts it highest. */
export function standingsOf(lists: readonly (readonly { readonly path: string }[])[]): Standings {
  const standings = new Map<string, number>();
  for (const list of lists) {
    const paths = [...new Set(list.map(({ path }) => path))];
    for (const [index, path] of paths.entries()) {
      standings.set(path, Math.max(standings.get(path) ?? 0, 1 / (1 + STEP * index)));
    }
  }
  return standings;
}
