import cliTruncate from "cli-truncate";

/** Cuts a text without colors to the width of a line, between words; within a word only where that word is most of the line. */
export function fitLine(text: string, width: number): string {
  if (width === Infinity) return text;
  const cut = cliTruncate(text, Math.max(width, 1));
  if (cut === text) return text;
  const end = cut.lastIndexOf(" ");
  return end > width / 2 ? `${cut.slice(0, end).trimEnd()} …` : cut;
}
