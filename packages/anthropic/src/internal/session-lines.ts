import { HistoryError, MAX_QUERY_IDS, isHistoryError, opaque } from "@agent-history/core";
import type {
  EntrySources,
  HistoryEntry,
  HistoryStore,
  JsonValue,
  OpaqueEntry,
} from "@agent-history/core";
import { objectOf, storeBatches, toJsonObject } from "@agent-history/format-kit";

/** A batch's ids must also fit into one query. */
const BATCH_ENTRIES = Math.min(100, MAX_QUERY_IDS);

/** Returns a function that appends lines to a thread, each once: identified by its uuid, or by the id from a failed append of the same line object. */
export function appendLines(
  store: HistoryStore,
  sources: EntrySources,
): (threadId: string, lines: readonly ClaudeSessionLine[]) => Promise<void> {
  // A failed append may have been written, so the same object keeps its id.
  const tried = new WeakMap<ClaudeSessionLine, string>();
  return async (threadId, lines) => {
    const { newId } = sources;
    const ids = new Set<string>();
    const entries: OpaqueEntry[] = [];
    for (const line of lines) {
      const id = idOfLine(line) ?? tried.get(line) ?? newId?.() ?? `line:${crypto.randomUUID()}`;
      // The same line twice in one append.
      if (ids.has(id)) continue;
      ids.add(id);
      tried.set(line, id);
      for (const entry of entriesOfLine(line, id, sources)) entries.push(entry);
    }
    for (const batch of storeBatches(entries, BATCH_ENTRIES)) {
      await appendBatch(store, threadId, batch);
    }
    for (const line of lines) tried.delete(line);
  };
}

/** Writes a batch; if some of its entries exist, only the others. */
async function appendBatch(
  store: HistoryStore,
  threadId: string,
  batch: readonly OpaqueEntry[],
): Promise<void> {
  try {
    await store.append(threadId, batch);
  } catch (error) {
    if (!isHistoryError(error, "DUPLICATE_ID")) throw error;
    const query = { clauses: [{ ids: batch.map(({ id }) => id) }] };
    const { entries } = await store.read(threadId, { query, originals: true });
    const known = new Set(entries.map(({ id }) => id));
    const rest = batch.filter(({ id }) => !known.has(id));
    if (rest.length === batch.length) throw error;
    if (rest.length > 0) await appendBatch(store, threadId, rest);
  }
}

/** A line of a transcript. A line with a `uuid` is stored once. */
export interface ClaudeSessionLine {
  readonly type: string;
  readonly uuid?: string;
  readonly timestamp?: string;
  readonly [field: string]: unknown;
}

/** Lines with longer JSON are stored in pieces: an entry may have one megabyte of UTF-8, and a character may need six bytes. */
const LONGEST_LINE = 150_000;
const LONGEST_UUID = 200;

/** Returns the entry id derived from a line's uuid; `undefined` if it has none. */
function idOfLine({ uuid }: ClaudeSessionLine): string | undefined {
  const isId = typeof uuid === "string" && uuid !== "" && uuid.length <= LONGEST_UUID;
  return isId ? `line:${uuid}` : undefined;
}

/** Returns the entries of a line: one, or one per piece. */
function entriesOfLine(
  line: ClaudeSessionLine,
  id: string,
  sources: EntrySources,
): readonly OpaqueEntry[] {
  const json = toJsonObject(line);
  const text = JSON.stringify(json);
  if (text.length <= LONGEST_LINE) return [opaque({ id, data: json }, sources)];
  const pieces = piecesOf(text);
  return pieces.map((piece, index) =>
    // The first piece has the line's id, so that a uuid is stored once however the line is split.
    opaque(
      {
        id: index === 0 ? id : `${id}/${index}`,
        data: { of: id, index, count: pieces.length, piece },
      },
      sources,
    ),
  );
}

/**
 * Returns the lines stored in entries, ordered by their first pieces. A line with a missing piece was never acknowledged, and is omitted.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` if an entry is not a line or a piece.
 */
export function linesOfEntries(entries: readonly HistoryEntry[]): ClaudeSessionLine[] {
  const pieces = new Map<string, (string | undefined)[]>();
  const kept: (ClaudeSessionLine | readonly (string | undefined)[])[] = [];
  for (const entry of entries) {
    const data: JsonValue = entry.type === "opaque" ? entry.data : null;
    if (isLine(data)) {
      kept.push(data);
      continue;
    }
    const { of, index, count, piece } = objectOf(data);
    if (typeof of !== "string" || typeof piece !== "string" || typeof index !== "number") {
      throw new HistoryError(
        "The thread contains an entry that is not from a Claude session. Use another thread.",
        { code: "THREAD_CORRUPT", details: { entryId: entry.id } },
      );
    }
    let texts = pieces.get(of);
    if (texts === undefined) {
      texts = Array.from({ length: Number(count) });
      pieces.set(of, texts);
      kept.push(texts);
    }
    texts[index] = piece;
  }
  return kept.flatMap((line) => (isLine(line) ? [line] : joined(line)));
}

/** Splits text without separating surrogate pairs. */
function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  while (from < text.length) {
    const isCut = /[\uD800-\uDBFF]/.test(text.charAt(from + LONGEST_LINE - 1));
    const to = from + LONGEST_LINE - (isCut ? 1 : 0);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

function joined(texts: readonly (string | undefined)[]): readonly ClaudeSessionLine[] {
  if (texts.includes(undefined)) return [];
  const line: unknown = JSON.parse(texts.join(""));
  return isLine(line) ? [line] : [];
}

function isLine(value: unknown): value is ClaudeSessionLine {
  return (
    typeof value === "object" && value !== null && typeof Reflect.get(value, "type") === "string"
  );
}
