import type { HistoryEntry, SummaryEntry } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";
import type { JsonValue } from "@agent-history/core";
import { decodeEntry, encodeEntry, jsonValueSchema, validCopy } from "@agent-history/core/schema";
import type { StoredEntry } from "@agent-history/core/schema";
import * as z from "zod/mini";

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
const lineCheck = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("thread"),
    format: z.literal("agent-history"),
    version: z.int(),
  }),
  z.object({
    kind: z.literal("entry"),
    entry: z.unknown(),
    tokens: z.array(z.tuple([z.string(), z.int().check(z.minimum(0))])),
  }),
  z.object({
    kind: z.literal("compaction"),
    summary: z.unknown(),
  }),
  z.object({
    kind: z.literal("state"),
    key: z.string(),
    value: jsonValueSchema,
  }),
  z.object({
    kind: z.literal("problem"),
    position: z.int(),
    reason: z.string(),
  }),
  z.object({
    kind: z.literal("end"),
    entries: z.int(),
  }),
]);

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
