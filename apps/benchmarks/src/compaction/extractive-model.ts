/**
 * A model without a model: the sentences and lines of a prompt with the words that come most often in it, the best first. The same one
 * answers for every library that asks a model to summarize.
 */
export function extractiveModel(
  prompt: string,
  maxTokens: number,
  countText: (text: string) => number,
): string {
  const lines = prompt.split(/\n|(?<=[.!?])\s+|\\n/).map((line) => line.trim());
  // What begins with a bracket is a frame of data, and no sentence.
  const isPiece = (line: string): boolean => /^[^{[<].{18,398}$/.test(line);
  const pieces = [...new Set(lines)].filter(isPiece);
  const wordsOf = (text: string): readonly string[] => text.match(/[\p{L}_]{4,}/gu) ?? [];
  const frequency = new Map<string, number>();
  for (const word of pieces.flatMap(wordsOf)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const scoreOf = (piece: string): number => {
    const words = wordsOf(piece);
    return words.reduce((sum, word) => sum + (frequency.get(word) ?? 0), 0) / (words.length + 3);
  };
  const ranked = pieces
    .map((piece) => ({ piece, score: scoreOf(piece) }))
    .toSorted((one, other) => other.score - one.score);
  // A sentence of the prompt alone would be an echo.
  const kept: string[] = ["What was said most:"];
  let room = maxTokens - 8;
  for (const each of ranked) {
    const cost = countText(`${each.piece}\n`);
    if (cost > room) continue;
    kept.push(each.piece);
    room -= cost;
    if (room < 12) break;
  }
  return kept.join("\n");
}
