import wrapAnsi from "wrap-ansi";

/** Breaks sentences into lines that fit the terminal, and ends them. */
export function wrapProse(columns: number, sentences: readonly string[]): string {
  return `${sentences.map((sentence) => wrapAnsi(sentence, columns)).join("\n")}\n`;
}
