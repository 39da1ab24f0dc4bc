/** Words of a document that speak for something, with the number to cite them by. */
export interface Evidence {
  readonly number: number;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  /** The headings it stands under, or the name it defines; may be empty. */
  readonly title: string;
  /** Exact parts of neighboring lines; an empty one stands for a line without words. */
  readonly quote: readonly string[];
}

const HEAD = /^(\S.*?):(\d+)-(\d+) (?:(.*) )?\[source(\d+)\]:$/;

/** Writes evidence as reports and answers do: a line that says where, then the quote. */
export function writeEvidence(evidence: readonly Evidence[]): string {
  return evidence.map(writeOne).join("\n\n");
}

/** Reads evidence out of a text that {@link writeEvidence} is part of. */
export function readEvidence(text: string): readonly Evidence[] {
  const found: { head: Omit<Evidence, "quote">; quote: string[] }[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith(">")) {
      found.at(-1)?.quote.push(line.slice(2));
      continue;
    }
    const [, path, startLine, endLine, title = "", number] = HEAD.exec(line) ?? [];
    if (path === undefined) continue;
    const location = { path, startLine: Number(startLine), endLine: Number(endLine) };
    found.push({ head: { ...location, title, number: Number(number) }, quote: [] });
  }
  return found.map(({ head, quote }) => ({ ...head, quote }));
}

function writeOne({ number, path, startLine, endLine, title, quote }: Evidence): string {
  const name = title === "" ? "" : ` ${title}`;
  const lines = quote.map((line) => `> ${line}`.trimEnd());
  return [`${path}:${startLine}-${endLine}${name} [source${number}]:`, ...lines].join("\n");
}
