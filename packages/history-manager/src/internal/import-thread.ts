import type { JsonValue, SummaryEntry } from "@agent-history/core";
import { HistoryError, isHistoryError, throwIfAborted } from "@agent-history/core";

import type { CallOptions } from "../history-manager.ts";
import type { ImportProblem, ThreadImport } from "../thread-import.ts";
import type { ImportBatch } from "./import-batch.ts";
import { importBatch } from "./import-batch.ts";
import { isReserved, RESERVED_ID } from "./instructions-id.ts";
import type { ManagedThread } from "./managed-thread.ts";
import type { ThreadLine } from "./thread-line.ts";
import { readLine } from "./thread-line.ts";
import { isManagerState, updateState } from "./thread-state.ts";

/** Reads an exported thread into this one. A line that cannot be used is reported, and costs only itself. */
export async function importThread(
  thread: ManagedThread,
  text: AsyncIterable<string> | Iterable<string>,
  { signal }: CallOptions = {},
): Promise<ThreadImport> {
  const intake = beginIntake(thread, signal);
  let line = 0;
  for await (const content of splitLines(text)) {
    throwIfAborted(signal);
    line += 1;
    if (content.trim() === "") continue;
    await take(content, line, intake);
  }
  await intake.batch.flush();
  if (!intake.isWhole) intake.problems.push({ line, reason: "The end of the export is missing." });
  const { compactions, states, problems, batch } = intake;
  return { entries: batch.kept(), compactions, states, problems };
}

interface Intake {
  readonly thread: ManagedThread;
  readonly signal: AbortSignal | undefined;
  readonly batch: ImportBatch;
  readonly ids: Set<string>;
  readonly problems: ImportProblem[];
  hasBegun: boolean;
  isWhole: boolean;
  compactions: number;
  states: number;
}

function beginIntake(thread: ManagedThread, signal: AbortSignal | undefined): Intake {
  const batch = importBatch(thread, signal);
  const counts = { hasBegun: false, isWhole: false, compactions: 0, states: 0 };
  return { thread, signal, batch, ids: new Set(), problems: [], ...counts };
}

async function take(content: string, line: number, intake: Intake): Promise<void> {
  const read = tryToRead(content);
  if (!intake.hasBegun) requireHeader(read);
  intake.hasBegun = true;
  if (read instanceof Error) {
    const { entryId } = read.details;
    const id = typeof entryId === "string" ? { entryId } : {};
    intake.problems.push({ line, ...id, reason: read.message });
    return;
  }
  await takeLine(read, line, intake);
}

async function takeLine(read: ThreadLine, line: number, intake: Intake): Promise<void> {
  switch (read.kind) {
    case "thread":
      return;
    case "entry":
      if (intake.ids.has(read.entry.id)) {
        const reason = "The id stands for an earlier line already.";
        intake.problems.push({ line, entryId: read.entry.id, reason });
        return;
      }
      intake.ids.add(read.entry.id);
      if (isReserved(read.entry)) {
        intake.problems.push({ line, entryId: read.entry.id, reason: RESERVED_ID });
        return;
      }
      await intake.batch.add(read.entry, read.tokens);
      return;
    case "compaction":
      await takeCompaction(read.summary, line, intake);
      return;
    case "state":
      await takeState(read, line, intake);
      return;
    case "problem":
      intake.problems.push({ line, reason: `Not in the export: ${read.reason}` });
      return;
    case "end":
      intake.isWhole = true;
      if (read.entries === intake.ids.size) return;
      intake.problems.push({
        line,
        reason: `Expected ${read.entries} entries, got ${intake.ids.size}.`,
      });
  }
}

async function takeCompaction(summary: SummaryEntry, line: number, intake: Intake): Promise<void> {
  const { thread, signal, problems } = intake;
  const { store, threadId } = thread.options;
  const { view, covers = [], id } = summary;
  const cancellation = signal && { signal };
  await intake.batch.flush();
  if (view === undefined) {
    problems.push({ line, entryId: id, reason: "Expected a compaction to name its view." });
    return;
  }
  try {
    const { viewRevision } = await store.read(threadId, {
      query: { clauses: [], view },
      ...cancellation,
    });
    await store.commitCompaction(threadId, {
      view,
      summary,
      covers,
      expectedViewRevision: viewRevision,
      ...cancellation,
    });
    intake.compactions += 1;
  } catch (error) {
    const isRefused = isHistoryError(error, "NOT_FOUND") || isHistoryError(error, "DUPLICATE_ID");
    if (!isRefused) throw error;
    problems.push({ line, entryId: id, reason: error.message });
  }
}

async function takeState(
  { key, value }: { readonly key: string; readonly value: JsonValue },
  line: number,
  intake: Intake,
): Promise<void> {
  const { thread, signal, problems } = intake;
  const { store, threadId } = thread.options;
  await intake.batch.flush();
  if (!isManagerState(key)) {
    problems.push({ line, reason: "The state is not one of this manager's." });
    return;
  }
  await updateState({ store, threadId, signal }, key, (stored) =>
    stored === undefined ? value : undefined,
  );
  intake.states += 1;
}

function tryToRead(content: string): ThreadLine | HistoryError {
  try {
    return readLine(content);
  } catch (error) {
    if (isHistoryError(error)) return error;
    throw error;
  }
}

function requireHeader(read: ThreadLine | HistoryError): void {
  if (isHistoryError(read, "UNKNOWN_VERSION")) throw read;
  if (!(read instanceof Error) && read.kind === "thread") return;
  throw new HistoryError(
    "Expected the text to begin with the first line of an exported thread. Nothing was imported.",
    { code: "INVALID_ENTRY", details: { path: "line 1" } },
  );
}

/** Splits text that comes in pieces, cut anywhere, into its lines. */
async function* splitLines(
  text: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<string, void> {
  let pieces: string[] = [];
  for await (const piece of text) {
    const lines = piece.split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      yield [...pieces, line].join("");
      pieces = [];
    }
    pieces.push(rest);
  }
  const last = pieces.join("");
  if (last !== "") yield last;
}
