import { unpackReferences } from "./reference.ts";
import type { Reference } from "./reference.ts";
import type { ReferencesAnswer, ReferencesFetch } from "./store-program.ts";

/** Reads one stream from its end toward its beginning, in pages. */
export interface StreamReader {
  readonly stream: string;
  /** What was read, the oldest first. */
  readonly references: () => readonly Reference[];
  /** All at this position and after it was read. */
  readonly floor: () => number;
  readonly fetch: () => ReferencesFetch;
  readonly take: (answer: ReferencesAnswer) => void;
  /** Takes the rest from elsewhere: nothing before the floor need be read. */
  readonly finish: (rest: readonly Reference[]) => void;
}

/** How many rows the first page has; most reads need no other. */
const FIRST_PAGE = 128;
const LATER_PAGE = 2048;

/** Begins at the end of a stream. */
export function streamReader(stream: string, version: () => number): StreamReader {
  const pages: (readonly Reference[])[] = [];
  let before: number | undefined;
  let limit = FIRST_PAGE;
  let floor = Infinity;

  return {
    stream,
    references: () => pages.toReversed().flat(),
    floor: () => floor,
    fetch: () => ({
      kind: "references",
      stream,
      limit,
      ...(before === undefined ? {} : { before }),
    }),
    take: ({ rows }) => {
      const page = unpackReferences(rows.toReversed());
      // What is newer than the head came after it was read.
      pages.push(page.filter(({ position }) => position < version()));
      floor = rows.length < limit ? 0 : (page[0]?.position ?? 0);
      before = rows.at(-1)?.key;
      limit = LATER_PAGE;
    },
    finish: (rest) => {
      const read = pages.splice(0).toReversed().flat();
      const known = new Set(read.map(({ position }) => position));
      pages.push([...rest.filter(({ position }) => !known.has(position)), ...read]);
      floor = 0;
    },
  };
}
