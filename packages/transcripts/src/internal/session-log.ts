import { action, assistantMessage, summary } from "@agent-history/core";
import type { HistoryEntry, JsonValue } from "@agent-history/core";

import type {
  EntryItem,
  SessionFacts,
  SessionItem,
  TranscriptItem,
  TurnItem,
} from "../transcript-item.ts";

/** Fields of a message's position other than its line. */
export type OriginExtras = Pick<EntryItem, "agentId" | "cwd" | "isMeta">;

/** The name of a tool that the log does not name; a result takes the name of its call. */
export const UNKNOWN_TOOL = "unknown";

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
  /** Returns the common fields of an entry at a position: id, time and turn. */
  readonly fieldsAt: (origin: EntryOrigin, atMs: number) => EntryFields;
  readonly write: (
    entries: readonly HistoryEntry[],
    origin: EntryOrigin,
  ) => readonly TranscriptItem[];
  /** Writes a summary of everything since the previous summary, except the messages from `keptFrom` on. Returns no items if there is nothing to cover. */
  readonly summarize: (text: SummaryText, origin: EntryOrigin) => readonly TranscriptItem[];
}

/** The position of entries in a transcript. */
export type EntryOrigin = Omit<EntryItem, "kind" | "entry">;

type EntryFields = Pick<HistoryEntry, "id" | "createdAtMs" | "turnId">;

/** The text of a summary, and the messages that it does not cover. */
interface SummaryText {
  readonly content: string;
  readonly atMs: number;
  /** The first node that the tool kept beside the summary. */
  readonly keptFrom?: string | undefined;
}

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
    fieldsAt: ({ node: id }, createdAtMs) => {
      return { id, createdAtMs, ...(turns > 0 && { turnId: `turn-${turns}` }) };
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

/** Creates an answer: an action if it calls tools. */
export function answerEntry(
  content: string,
  calls: readonly {
    readonly id: string | undefined;
    readonly name: string | undefined;
    readonly input: JsonValue | undefined;
  }[],
  fields: EntryFields,
): HistoryEntry {
  if (calls.length === 0) return assistantMessage({ ...fields, content });
  const toolCalls = calls.map(({ id, name, input }, nth) => ({
    id: id ?? `${fields.id}/${nth}`,
    name: name ?? UNKNOWN_TOOL,
    arguments: typeof input === "string" ? input : JSON.stringify(input ?? {}),
  }));
  return action({ ...fields, ...(content && { content }), toolCalls });
}

/** Stores facts of a session, and returns an item with those that changed, if any. */
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

/** Parses an instant: ISO text or epoch milliseconds; `undefined` for anything else and for invalid dates. */
export function timeOf(value: JsonValue | undefined): number | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const time = new Date(value).getTime();
  return Number.isNaN(time) ? undefined : time;
}
