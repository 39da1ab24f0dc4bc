import { summary } from "@agent-history/core";
import type { HistoryEntry, JsonValue } from "@agent-history/core";

import type { EntryItem, SessionFacts, TranscriptItem, TurnItem } from "../transcript-item.ts";

/** Fields of a message's position other than its line. */
export type OriginExtras = Pick<EntryItem, "agentId" | "cwd" | "isMeta">;

/** Writes the messages of a session as items of one history, and numbers its turns. */
export interface SessionLog {
  /** Whether entries are written. */
  readonly isWritten: boolean;
  /** Begins a turn. */
  readonly turn: (line: number, atMs: number, text: string) => TurnItem;
  /** The current turn; missing before the first. */
  readonly turnId: () => string | undefined;
  /** Returns the position after the last written message, for a log without branches. The node is the line. */
  readonly locate: (line: number, beside?: OriginExtras) => EntryOrigin;
  readonly write: (
    entries: readonly HistoryEntry[],
    origin: EntryOrigin,
  ) => readonly TranscriptItem[];
  /** Writes a summary of everything since the previous summary, except the messages from `keptFrom` on. Returns no items if there is nothing to cover. */
  readonly summarize: (
    text: {
      readonly content: string;
      readonly atMs: number;
      readonly keptFrom?: string | undefined;
    },
    origin: EntryOrigin,
  ) => readonly TranscriptItem[];
}

/** The position of entries in a transcript. */
export type EntryOrigin = Omit<EntryItem, "kind" | "entry">;

/** @param isWritten - Whether entries are written. */
export function sessionLog(isWritten: boolean): SessionLog {
  const names = new Map<string, string>();
  /** The entries that the next summary covers, by agent. */
  const since = new Map<string | undefined, { readonly id: string; readonly node: string }[]>();
  const last = new Map<string | undefined, string>();
  let [turns, line, ofLine] = [0, 0, 0];
  return {
    isWritten,
    turn: (number, atMs, text) => {
      turns += 1;
      const [turnId, title] = [`turn-${turns}`, requestTitle(text)];
      return { kind: "turn", line: number, turnId, atMs: atMs || undefined, title };
    },
    turnId: () => (turns === 0 ? undefined : `turn-${turns}`),
    locate: (number, beside = {}) => {
      // A line may contain several messages.
      ofLine = number === line ? ofLine + 1 : 0;
      line = number;
      const node = ofLine === 0 ? `line-${number}` : `line-${number}.${ofLine}`;
      return { ...beside, line: number, node, parent: last.get(beside.agentId) };
    },
    write: (entries, origin) => {
      if (!isWritten || entries.length === 0) return [];
      const { agentId, node } = origin;
      last.set(agentId, node);
      const written = since.get(agentId) ?? [];
      since.set(agentId, written);
      return entries.map((entry) => {
        written.push({ id: entry.id, node });
        return { kind: "entry", entry: withToolName(entry, names), ...origin };
      });
    },
    summarize: ({ content, atMs, keptFrom }, origin) => {
      const { agentId, node: id } = origin;
      const written = since.get(agentId) ?? [];
      const kept = written.findIndex(({ node }) => node === keptFrom);
      const covered = kept < 0 ? written : written.slice(0, kept);
      const [first, end] = [covered[0], covered.at(-1)];
      if (!isWritten || first === undefined || end === undefined) return [];
      last.set(agentId, id);
      since.set(agentId, [{ id, node: id }, ...(kept < 0 ? [] : written.slice(kept))]);
      const fields = { strategy: "recorded", trust: "user", view: "thread" } as const;
      const covers = [{ from: first.id, to: end.id }];
      const entry = summary({ content, ...fields, covers, id, createdAtMs: atMs });
      return [{ kind: "entry", entry, ...origin }];
    },
  };
}

/** Sets the tool name of a result, which is unknown if the result is read without its call. */
function withToolName(entry: HistoryEntry, names: Map<string, string>): HistoryEntry {
  if (entry.type === "action") for (const { id, name } of entry.toolCalls) names.set(id, name);
  const name = entry.type === "observation" ? names.get(entry.callId) : undefined;
  return entry.type === "observation" && name !== undefined ? { ...entry, toolName: name } : entry;
}

/** Returns whether a person typed a text, as opposed to text that a tool writes as the user. */
export function isRequestText(text: string): boolean {
  return text.trim() !== "" && !WRITTEN_BY_TOOL.test(text);
}

const WRITTEN_BY_TOOL =
  /^\s*(?:<[a-z_-]+[ >]|\[Request interrupted|This session is being continued|# AGENTS\.md instructions|Caveat: The messages below)/i;

/** Returns the beginning of a request on one line, as the title of its turn; `undefined` if it has no text. */
function requestTitle(text: string): string | undefined {
  const plain = text
    .slice(0, 400)
    .replaceAll(/<[^>]*>|\s+/g, " ")
    .replaceAll(/ +/g, " ");
  return plain.trim().slice(0, 120) || undefined;
}

/** Stores facts of a session, and returns an item with those that changed, if any. */
export function changedFacts(
  state: { facts: SessionFacts },
  found: SessionFacts,
): readonly TranscriptItem[] {
  const facts: SessionFacts = Object.fromEntries(
    Object.entries(found).filter(([, value]) => value !== undefined),
  );
  const before = JSON.stringify(state.facts);
  state.facts = { ...state.facts, ...facts };
  return before === JSON.stringify(state.facts) ? [] : [{ kind: "session", facts }];
}

/** Parses an instant: ISO text or epoch milliseconds; `undefined` for anything else and for invalid dates. */
export function timeOf(value: JsonValue | undefined): number | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const time = new Date(value).getTime();
  return Number.isNaN(time) ? undefined : time;
}
