/**
 * Lends each score to its neighbors on both sides: `share` of it to the next, the square of `share` to the one after,
 * and so on. Two passes, whatever the reach.
 */
export function spreadScores(scores: readonly number[], share: number): readonly number[] {
  const fromBefore = lend(scores, share);
  const fromAfter = lend(scores.toReversed(), share).toReversed();
  return scores.map((score, index) => score + (fromBefore[index] ?? 0) + (fromAfter[index] ?? 0));
}

/** What reaches each place from those before it. */
function lend(scores: readonly number[], share: number): readonly number[] {
  let reaching = 0;
  return scores.map((score) => {
    const received = reaching;
    reaching = share * (reaching + score);
    return received;
  });
}
