/** A call as it is written, and which place among the blocks of its message it came at; none: after all parts. */
export interface PlacedCall<Block> {
  readonly block: Block;
  readonly index: number | undefined;
}

/** Puts calls back among the parts they came between. Where parts were lost since, a call moves up. */
export function placeCalls<Block>(
  parts: readonly Block[],
  calls: readonly PlacedCall<Block>[],
): readonly Block[] {
  const waiting = calls
    .filter((call) => call.index !== undefined)
    .toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0));
  const blocks: Block[] = [];
  let next = 0;
  for (const part of parts) {
    let call = waiting[next];
    while (call !== undefined && (call.index ?? 0) <= blocks.length) {
      blocks.push(call.block);
      next += 1;
      call = waiting[next];
    }
    blocks.push(part);
  }
  const last = calls.filter((call) => call.index === undefined).map((call) => call.block);
  return [...blocks, ...waiting.slice(next).map((call) => call.block), ...last];
}
