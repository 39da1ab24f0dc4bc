import type { HistoryEntry, SummaryEntry } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";
import type { JsonValue } from "@agent-history/core";
import {
  countCheck,
  decodeEntry,
  encodeEntry,
  integerCheck,
  jsonValueCheck,
  kindsCheck,
  listCheck,
  literalCheck,
  pairCheck,
  recordCheck,
  validCopy,
  textCheck,
  unknownCheck,
} from "@agent-history/core/stored-form";
import type { StoredEntry } from "@agent-history/core/stored-form";

/** The version of the export that this release writes. */
const VERSION = 1;

/** One line of an exported thread; discriminated by `kind`. */
export type ThreadLine =
  | { readonly kind: "thread"; readonly format: "agent-history"; readonly version: number }
  | {
      readonly kind: "entry";
      readonly entry: HistoryEntry;
      /** Counts that stand beside it, by counter id. */
      readonly tokens: readonly (readonly [string, number])[];
    }
  | { readonly kind: "compaction"; readonly summary: SummaryEntry }
  | { readonly kind: "state"; readonly key: string; readonly value: JsonValue }
  /** A row of the store that could not be read, and so is not here. */
  | { readonly kind: "problem"; readonly position: number; readonly reason: string }
  | { readonly kind: "end"; readonly entries: number };

/** The line that an export begins with. */
export const HEADER: ThreadLine = { kind: "thread", format: "agent-history", version: VERSION };

/** Writes a line, its line break included. */
export function writeLine(line: ThreadLine): string {
  return `${JSON.stringify(storedForm(line))}\n`;
}

function storedForm(line: ThreadLine): unknown {
  switch (line.kind) {
    case "entry":
      return { ...line, entry: encodeEntry(line.entry) };
    case "compaction": {
      const summary: StoredEntry = encodeEntry(line.summary);
      return { ...line, summary };
    }
    default:
      return line;
  }
}

/** A line whose entry or summary is not read yet. */
type StoredLine =
  | Exclude<ThreadLine, { readonly kind: "entry" | "compaction" }>
  | (Omit<Line<ThreadLine, "entry">, "entry"> & { readonly entry: unknown })
  | { readonly kind: "compaction"; readonly summary: unknown };

type Line<Lines, Kind> = Extract<Lines, { readonly kind: Kind }>;

const lineCheck = kindsCheck<StoredLine, "kind">(
  "kind",
  {
    thread: recordCheck<Line<StoredLine, "thread">>({
      kind: literalCheck("thread"),
      format: literalCheck("agent-history"),
      version: integerCheck(),
    }),
    entry: recordCheck<Line<StoredLine, "entry">>({
      kind: literalCheck("entry"),
      entry: unknownCheck,
      tokens: listCheck(pairCheck(textCheck, countCheck)),
    }),
    compaction: recordCheck<Line<StoredLine, "compaction">>({
      kind: literalCheck("compaction"),
      summary: unknownCheck,
    }),
    state: recordCheck<Line<StoredLine, "state">>({
      kind: literalCheck("state"),
      key: textCheck,
      value: jsonValueCheck,
    }),
    problem: recordCheck<Line<StoredLine, "problem">>({
      kind: literalCheck("problem"),
      position: integerCheck(),
      reason: textCheck,
    }),
    end: recordCheck<Line<StoredLine, "end">>({
      kind: literalCheck("end"),
      entries: integerCheck(),
    }),
  },
  { object: "Expected a line" },
);

/**
 * Reads a line.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if it is none, and `UNKNOWN_VERSION` where a newer release wrote it. Neither quotes it.
 */
export function readLine(text: string): ThreadLine {
  const line = validCopy(lineCheck, parseJson(text));
  if (line === undefined) throw invalidLine("Expected a line of an exported thread");
  switch (line.kind) {
    case "thread":
      if (line.version <= VERSION) return line;
      throw new HistoryError(
        `Expected an export of version ${VERSION} or older; got version ${line.version}. Import it with a newer release.`,
        { code: "UNKNOWN_VERSION", details: { version: line.version } },
      );
    case "entry":
      return { ...line, entry: decodeEntry(line.entry) };
    case "compaction": {
      const summary = decodeEntry(line.summary);
      if (summary.type === "summary") return { ...line, summary };
      throw invalidLine("Expected a compaction to be a summary");
    }
    default:
      return line;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The engine's own error quotes the text.
    throw invalidLine("Expected a line of JSON");
  }
}

function invalidLine(message: string): HistoryError {
  return new HistoryError(`${message}. It was left out.`, { code: "INVALID_ENTRY" });
}
