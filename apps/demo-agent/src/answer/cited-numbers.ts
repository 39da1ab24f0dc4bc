const CITATION = /\[source\d+(?:,\s*source\d+)*\]/gi;

/** Returns the numbers that an answer cites, in order, each once. What it quotes (lines after `> `) cites nothing. */
export function citedNumbers(answer: string): readonly number[] {
  const own = answer.split("\n").filter((line) => !line.startsWith(">"));
  const marks = own.join("\n").match(CITATION) ?? [];
  return [...new Set(marks.flatMap((mark) => mark.match(/\d+/g) ?? []).map(Number))];
}
