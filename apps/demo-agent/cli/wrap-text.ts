import wrapAnsi from "wrap-ansi";

const QUOTE = "> ";

/** Breaks lines between words, so that a terminal breaks none within; a quotation keeps its mark on each line. */
export function wrapText(text: string, width: number): string {
  return text
    .split("\n")
    .map((line) => (line.startsWith(QUOTE) ? wrapQuote(line, width) : wrapLine(line, width)))
    .join("\n");
}

function wrapQuote(line: string, width: number): string {
  return wrapLine(line.slice(QUOTE.length), width - QUOTE.length)
    .replaceAll(/^/gm, QUOTE)
    .replaceAll(/ +$/gm, "");
}

function wrapLine(line: string, width: number): string {
  const wrapped = wrapAnsi(line, Math.max(width, 1), { trim: false });
  return wrapped.replaceAll(/ *\n */g, "\n").trimEnd();
}
