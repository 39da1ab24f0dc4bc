const FENCE = /^\s*(?:```|~~~)/;
/** A comment over several lines, or a string that documents what stands above it. */
const OPENER = /^\s*(\/\*|[rRuUbBfF]?(?:"""|'''))/;
const MAX_HEAD_LENGTH = 300;

/**
 * Tells for each line whether it begins within something that blank lines do not end: in prose a fence, in code a comment or a
 * documentation string. The line that opens it does not; the line that closes it does. Linear.
 */
export function enclosedLines(
  lines: readonly string[],
  options: { readonly isProse: boolean },
): readonly boolean[] {
  let closer: string | undefined;
  return lines.map((line) => {
    const isEnclosed = closer !== undefined;
    closer = options.isProse ? afterProse(line, closer) : afterCode(line, closer);
    return isEnclosed;
  });
}

/** What closes what is open behind a line; nothing where nothing is. */
function afterProse(line: string, closer: string | undefined): string | undefined {
  if (!FENCE.test(line.slice(0, MAX_HEAD_LENGTH))) return closer;
  return closer === undefined ? "fence" : undefined;
}

function afterCode(line: string, closer: string | undefined): string | undefined {
  if (closer !== undefined) return line.includes(closer) ? undefined : closer;
  const [opener = "", mark = ""] = OPENER.exec(line.slice(0, MAX_HEAD_LENGTH)) ?? [];
  if (mark === "") return undefined;
  const end = mark === "/*" ? "*/" : mark.slice(-3);
  return line.includes(end, opener.length) ? undefined : end;
}
