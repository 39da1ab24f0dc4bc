import { ROW_LENGTH, unpackReferences } from "./reference.ts";
import type { Reference } from "./reference.ts";
import type { ReferencesAnswer, ReferencesFetch } from "./store-program.ts";

/** Reads one stream from its end toward its beginning, in pages. */
export interface StreamReader {
  readonly stream: string;
  /** What was read, the oldest first. */
  readonly references: () => readonly Reference[];
  /** All at this position and after it was read. */
  readonly floor: () => number;
  /** Asks for the next page: of what is wanted back to a position about as many rows as hold that. Default: the beginning. */
  readonly fetch: (oldest?: number) => ReferencesFetch;
  readonly take: (answer: ReferencesAnswer) => void;
  /** Leaves out what was not read yet at this position and after it. Only for a stream of every entry, whose rows have no gaps. */
  readonly skipTo: (position: number) => void;
  /** Takes the rest from elsewhere: nothing before the floor need be read. */
  readonly finish: (rest: readonly Reference[]) => void;
}

/** How many rows the first page has; most reads need no other. What came since an entry is most often a turn; more takes a round more. */
const FIRST_PAGE = { newest: 128, since: 16 };
const LATER_PAGE = 2048;
/** The least rows of the second page; four times as many in each that follows, so that a bad guess costs few rounds. */
const SECOND_PAGE = 16;
/** Of the rows that were read, how many of the oldest tell what those before them may hold. */
const LIKE_THE_NEXT = 8;

/** Begins at the end of a stream, to read the newest or what came since an entry. */
export function streamReader(
  stream: string,
  version: () => number,
  first: keyof typeof FIRST_PAGE,
): StreamReader {
  const pages: (readonly Reference[])[] = [];
  let before: number | undefined;
  let limit = FIRST_PAGE[first];
  /** A small page tells little of how many rows those before it take. */
  let most = first === "since" ? FIRST_PAGE.newest : LATER_PAGE;
  let least = SECOND_PAGE;
  let referencesInRow = 1;
  let floor = Infinity;

  return {
    stream,
    references: () => pages.toReversed().flat(),
    floor: () => floor,
    fetch: (oldest = 0) => {
      if (before !== undefined) {
        const rows = Math.ceil((floor - oldest) / referencesInRow);
        limit = Math.min(most, Math.max(least, rows));
        most = LATER_PAGE;
        least *= 4;
      }
      const page = before === undefined ? {} : { before };
      return { kind: "references", stream, limit, ...page };
    },
    take: ({ rows }) => {
      const page = unpackReferences(rows.toReversed());
      // What is newer than the head came after it was read.
      pages.push(page.filter(({ position }) => position < version()));
      floor = rows.length < limit ? 0 : (page[0]?.position ?? 0);
      before = rows.at(-1)?.key;
      const last = rows.slice(-LIKE_THE_NEXT);
      referencesInRow = Math.max(1, unpackReferences(last.toReversed()).length / last.length || 1);
    },
    skipTo: (position) => {
      if (before === undefined || position >= floor) return;
      // The row that ends the range may go on behind it.
      before = Math.min(before, position + ROW_LENGTH);
      floor = Math.max(0, position);
    },
    finish: (rest) => {
      const read = pages.splice(0).toReversed().flat();
      const known = new Set(read.map(({ position }) => position));
      pages.push([...rest.filter(({ position }) => !known.has(position)), ...read]);
      floor = 0;
    },
  };
}
