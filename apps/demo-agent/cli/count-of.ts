/** Writes a count with its word: "1 call", "1,200 calls". */
export function countOf(count: number, word: string, words = `${word}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? word : words}`;
}
