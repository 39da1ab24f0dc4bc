/** Neighboring messages or items of one speaker, as an API reads them. */
export interface PairedTurn<Item> {
  readonly by: string;
  readonly items: readonly Item[];
  /** The ids of its calls. */
  readonly calls: readonly string[];
  /** The ids of the calls that it answers. */
  readonly results: readonly string[];
}

/** Joins neighbors of one speaker. */
export function pairedTurns<Item>(
  items: readonly Item[],
  read: (item: Item, index: number) => Omit<PairedTurn<Item>, "items">,
): readonly PairedTurn<Item>[] {
  const turns: PairedTurn<Item>[] = [];
  for (const [index, item] of items.entries()) {
    const { by, calls, results } = read(item, index);
    const last = turns.at(-1);
    const joined = last?.by === by ? turns.pop() : undefined;
    turns.push({
      by,
      items: [...(joined?.items ?? []), item],
      calls: [...(joined?.calls ?? []), ...calls],
      results: [...(joined?.results ?? []), ...results],
    });
  }
  return turns;
}

type Turns = readonly PairedTurn<unknown>[];

/** Returns whether a call has no result in the turn behind it. */
export function hasUnanswered(turns: Turns): boolean {
  return turns.some(({ calls }, at) => calls.some((id) => !turns[at + 1]?.results.includes(id)));
}

/** Returns whether a result has no call in the turn before it. */
export function hasOrphan(turns: Turns): boolean {
  return turns.some(({ results }, at) => results.some((id) => !turns[at - 1]?.calls.includes(id)));
}
