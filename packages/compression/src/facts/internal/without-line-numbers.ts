const NUMBERED = /^[ \t]{0,8}(\d{1,7})(?:→|\t|[:|] ?)/;
/** This many lines, and so large a share of them, begin with a number that grows. */
const LEAST_LINES = 3;
const LEAST_SHARE = 0.8;

/** Takes the numbers away that a tool puts before the lines of a file: they are no part of it. Linear. */
export function withoutLineNumbers(text: string): string {
  if (!/^[ \t]{0,8}\d{1,7}[→\t:|]/m.test(text)) return text;
  const lines = text.split("\n");
  let numbered = 0;
  let filled = 0;
  let last = -1;
  for (const line of lines) {
    if (line.trim() === "") continue;
    filled += 1;
    const number = Number(NUMBERED.exec(line)?.[1] ?? -1);
    if (number > last) numbered += 1;
    if (number >= 0) last = number;
  }
  if (numbered < LEAST_LINES || numbered < filled * LEAST_SHARE) return text;
  return lines.map((line) => line.replace(NUMBERED, "")).join("\n");
}
