import { action, assistantMessage, summary } from "@agent-history/core";
import type { HistoryEntry, JsonValue } from "@agent-history/core";

import type {
  EntryItem,
  SessionFacts,
  SessionItem,
  TranscriptItem,
  TurnItem,
} from "../transcript-item.ts";

/** Where a message stands, besides its line. */
export type OriginExtras = Pick<EntryItem, "agentId" | "cwd" | "isMeta">;

/** The name of a tool that a log does not name; a result takes that of its call. */
export const UNKNOWN_TOOL = "unknown";

/** Writes the messages of a log without branches, each behind the one before, and numbers its turns. */
export interface LinearLog {
  /** Whether entries are asked for at all. */
  readonly isWritten: boolean;
  /** Begins a turn. */
  readonly turn: (line: number, atMs: number, text: string) => TurnItem;
  /** The turn that is being read; missing before the first. */
  readonly turnId: () => string | undefined;
  /** Gives a message the place behind the last that was written. Its node is its line. */
  readonly locate: (line: number, beside?: OriginExtras) => EntryOrigin;
  readonly write: (
    entries: readonly HistoryEntry[],
    origin: EntryOrigin,
  ) => readonly TranscriptItem[];
  readonly summarize: (text: SummaryText, origin: EntryOrigin) => readonly TranscriptItem[];
}

/** @param isWritten - Whether entries are asked for at all. */
export function linearLog(isWritten: boolean): LinearLog {
  const writer = entryWriter();
  const last = new Map<string | undefined, string>();
  let [turns, line, ofLine] = [0, 0, 0];
  return {
    isWritten,
    turn: (number, atMs, text) => {
      turns += 1;
      return {
        kind: "turn",
        line: number,
        turnId: `turn-${turns}`,
        atMs,
        title: requestTitle(text),
      };
    },
    turnId: () => (turns === 0 ? undefined : `turn-${turns}`),
    locate: (number, beside = {}) => {
      // A line may hold several messages.
      ofLine = number === line ? ofLine + 1 : 0;
      line = number;
      const node = ofLine === 0 ? `line-${number}` : `line-${number}.${ofLine}`;
      const parent = last.get(beside.agentId);
      return { ...beside, line: number, node, parent };
    },
    write: (entries, origin) => {
      if (!isWritten || entries.length === 0) return [];
      last.set(origin.agentId, origin.node);
      return writer.write(entries, origin);
    },
    summarize: (text, origin) => {
      const written = isWritten ? writer.summarize(text, origin) : undefined;
      if (written === undefined) return [];
      last.set(origin.agentId, origin.node);
      return [written];
    },
  };
}

/** Where entries stand in a transcript. */
export type EntryOrigin = Omit<EntryItem, "kind" | "entry">;

/** Turns the entries of messages that were read one by one into items of one history. */
export interface EntryWriter {
  readonly write: (entries: readonly HistoryEntry[], origin: EntryOrigin) => readonly EntryItem[];
  /** Writes a summary of everything since the summary before, but for the messages from a node on. */
  readonly summarize: (text: SummaryText, origin: EntryOrigin) => EntryItem | undefined;
}

/** The text of a summary, and what it leaves out. */
interface SummaryText {
  readonly content: string;
  readonly atMs: number;
  /** The first node that the tool kept beside the summary. */
  readonly keptFrom?: string | undefined;
}

interface Written {
  readonly id: string;
  readonly node: string;
}

export function entryWriter(): EntryWriter {
  const names = new Map<string, string>();
  /** What the next summary covers, by the agent whose history it is; `""` is the main one. */
  const since = new Map<string, Written[]>();
  const note = (item: EntryItem): EntryItem => {
    const written = since.get(item.agentId ?? "") ?? [];
    written.push({ id: item.entry.id, node: item.node });
    since.set(item.agentId ?? "", written);
    return item;
  };
  return {
    write: (entries, origin) =>
      entries.map((entry) => note({ kind: "entry", entry: withToolName(entry, names), ...origin })),
    summarize: ({ content, atMs, keptFrom }, origin) => {
      const written = since.get(origin.agentId ?? "") ?? [];
      const kept = keptFrom === undefined ? -1 : written.findIndex(({ node }) => node === keptFrom);
      const covered = kept < 0 ? written : written.slice(0, kept);
      const [first, last] = [covered[0], covered.at(-1)];
      if (first === undefined || last === undefined) return undefined;
      since.set(origin.agentId ?? "", kept < 0 ? [] : written.slice(kept));
      const covers = [{ from: first.id, to: last.id }];
      const fields = { strategy: "recorded", trust: "user", view: "thread" } as const;
      const entry = summary({ content, ...fields, covers, id: origin.node, createdAtMs: atMs });
      since.get(origin.agentId ?? "")?.unshift({ id: entry.id, node: origin.node });
      return { kind: "entry", entry, ...origin };
    },
  };
}

/** A result that is read without its call does not say which tool gave it. */
function withToolName(entry: HistoryEntry, names: Map<string, string>): HistoryEntry {
  if (entry.type === "action") for (const { id, name } of entry.toolCalls) names.set(id, name);
  const name = entry.type === "observation" ? names.get(entry.callId) : undefined;
  return entry.type === "observation" && name !== undefined ? { ...entry, toolName: name } : entry;
}

/** Tells what a person typed from what a tool writes in a person's name. */
export function isRequestText(text: string): boolean {
  return text.trim() !== "" && !WRITTEN_BY_TOOL.test(text);
}

const WRITTEN_BY_TOOL =
  /^\s*(?:<[a-z_-]+[ >]|\[Request interrupted|This session is being continued|# AGENTS\.md instructions|Caveat: The messages below)/i;

/** The beginning of a request, on one line, to name its turn by; `undefined` where it has no text. */
export function requestTitle(text: string): string | undefined {
  const plain = text
    .slice(0, 400)
    .replaceAll(/<[^>]*>|\s+/g, " ")
    .replaceAll(/ +/g, " ");
  return plain.trim().slice(0, 120) || undefined;
}

/** Returns an answer: an action, if it calls tools. */
export function answerEntry(
  content: string,
  calls: readonly {
    readonly id: string | undefined;
    readonly name: string | undefined;
    readonly input: JsonValue | undefined;
  }[],
  fields: { readonly id: string; readonly createdAtMs: number; readonly turnId?: string },
): HistoryEntry {
  if (calls.length === 0) return assistantMessage({ ...fields, content });
  const toolCalls = calls.map(({ id, name, input }, nth) => ({
    id: id ?? `${fields.id}/${nth}`,
    name: name ?? UNKNOWN_TOOL,
    arguments: typeof input === "string" ? input : JSON.stringify(input ?? {}),
  }));
  return action({ ...fields, ...(content && { content }), toolCalls });
}

/** Notes facts of a session, and returns an item for those that differ from what was known, if there are any. */
export function changedFacts(
  state: { facts: SessionFacts },
  found: { readonly [Key in keyof SessionFacts]: SessionFacts[Key] | undefined },
): readonly SessionItem[] {
  const known = new Map(Object.entries(state.facts));
  const changed = Object.entries(found).filter(
    ([key, value]) => value !== undefined && value !== known.get(key),
  );
  if (changed.length === 0) return [];
  const facts: SessionFacts = Object.fromEntries(changed);
  state.facts = { ...state.facts, ...facts };
  return [{ kind: "session", facts }];
}

/** Reads an instant: ISO text or epoch milliseconds; `undefined` for anything else, and for what no clock shows. */
export function timeOf(value: JsonValue | undefined): number | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const time = new Date(value).getTime();
  return Number.isNaN(time) ? undefined : time;
}
