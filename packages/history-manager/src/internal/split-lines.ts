/** Splits text that comes in pieces, cut anywhere, into its lines. */
export async function* splitLines(
  text: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<string, void> {
  let pieces: string[] = [];
  for await (const piece of text) {
    const lines = piece.split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      yield [...pieces, line].join("");
      pieces = [];
    }
    pieces.push(rest);
  }
  const last = pieces.join("");
  if (last !== "") yield last;
}
