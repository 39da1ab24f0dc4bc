import cliTruncate from "cli-truncate";

const UNSAFE = /[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu;

/** Makes a text safe for one cell of a terminal and at most so wide: a path loses its beginning, a text its end. */
export function clipText(text: string, width: number, kind: "path" | "text"): string {
  // Escape sequences and line breaks of a session are not the terminal's.
  const plain = text.replaceAll(UNSAFE, " ");
  return cliTruncate(plain, width, { position: kind === "path" ? "start" : "end" });
}
