import type { TokenCounter } from "@agent-history/core";
import { contentHash } from "@agent-history/core/kit";
import { plainText } from "@agent-history/format-kit";

import { calledFiles, noteCallTitles } from "./called-files.ts";
import { factsOf, ofKind } from "./collect-transcript.ts";
import type { ModelCall } from "./model-call.ts";
import type {
  CompactionItem,
  EntryItem,
  ProblemItem,
  SessionFacts,
  TranscriptItem,
  UsageItem,
} from "./transcript-item.ts";

/** A session without its texts: the input of reports. */
export interface MeasuredSession {
  readonly facts: SessionFacts;
  /** The beginning of the first request. */
  readonly title?: string | undefined;
  /** Number of user requests. */
  readonly turns: number;
  readonly calls: readonly ModelCall[];
  /** Usage that is not part of any call. */
  readonly rest: readonly Omit<UsageItem, "kind">[];
  readonly compactions: readonly CompactionItem[];
  readonly problems: readonly ProblemItem[];
  readonly entries: readonly MeasuredEntry[];
  /** Branches that begin after a message that already had a successor. */
  readonly rewinds: readonly Rewind[];
}

/** An entry without its text. */
export interface MeasuredEntry {
  readonly id: string;
  readonly line: number;
  readonly role: EntryWeightRole;
  /** For a result: its tool and call. */
  readonly toolName?: string | undefined;
  readonly callId?: string | undefined;
  /** The files that the entry's call names. */
  readonly files: readonly string[];
  readonly turnId?: string | undefined;
  readonly agentId?: string | undefined;
  /** Tokens by the counter. */
  readonly tokens: number;
  /** Number of calls that its agent had made before it. */
  readonly callsBefore: number;
  /** Number of calls that sent it. */
  readonly sent: number;
  /** Equal for equal content of the same tool. */
  readonly hash: string;
  /** The beginning of its text; for a call and its result, the command, path or query of the call. */
  readonly label: string;
}

export type EntryWeightRole = "user" | "assistant" | "tool results" | "summaries" | "instructions";

/** A continuation from an older message. */
export interface Rewind {
  readonly line: number;
  readonly entryId: string;
  /** Tokens of the history before the rewind, and how many of them stayed, by the counter. */
  readonly heldTokens: number;
  readonly keptTokens: number;
  readonly agentId?: string | undefined;
}

/** Measures a session while it is read. It keeps a few numbers per entry, but no text. */
export interface SessionMeter {
  readonly add: (item: TranscriptItem) => void;
  readonly result: () => MeasuredSession;
}

/**
 * Creates a meter for one session. `counter` counts its entries; usage is taken from the log.
 *
 * @example
 * ```ts
 * import { claudeCodeReader, sessionMeter } from "@agent-history/transcripts";
 *
 * const reader = claudeCodeReader();
 * const meter = sessionMeter({ countEntry: () => 10 });
 * const message = { role: "user", content: "Run the tests." };
 * const line = JSON.stringify({ type: "user", uuid: "u1", message });
 * for (const item of reader.read(line)) meter.add(item);
 * meter.result().entries.map(({ role, tokens }) => `${role}: ${tokens}`);
 * // => ["user: 10"]
 * ```
 */
export function sessionMeter(counter: Pick<TokenCounter, "countEntry">): SessionMeter {
  const events: Exclude<TranscriptItem, EntryItem>[] = [];
  const rewinds: Rewind[] = [];
  const measured: Omit<MeasuredEntry, "sent">[] = [];
  const prompts = new Map<string, PromptTracker>();
  const files = new Map<string, readonly string[]>();
  const titles = new Map<string, string>();
  const promptOf = (agentId = ""): PromptTracker => {
    const prompt = prompts.get(agentId) ?? promptTracker();
    prompts.set(agentId, prompt);
    return prompt;
  };
  const addEntry = (item: EntryItem): void => {
    const { entry, line, agentId } = item;
    for (const { callId, path } of calledFiles(entry))
      files.set(callId, [...(files.get(callId) ?? []), path]);
    noteCallTitles(titles, entry, item.cwd);
    const prompt = promptOf(agentId);
    const one = measureEntry(item, counter, files, titles);
    const rewound = prompt.add(item, one.tokens);
    if (rewound) rewinds.push({ line, entryId: entry.id, ...rewound, agentId });
    measured.push({ ...one, callsBefore: prompt.calls() });
  };
  return {
    add: (item) => {
      if (item.kind === "entry") return addEntry(item);
      events.push(item);
      if (item.kind === "compaction") promptOf(item.agentId).compact(item);
      if (item.kind === "call") promptOf(item.call.agentId).call();
    },
    result: () => {
      const sent = new Map([...prompts.values()].flatMap((prompt) => [...prompt.sent()]));
      const turns = ofKind(events, "turn");
      return {
        facts: factsOf(events),
        title: turns.find(({ title }) => title !== undefined)?.title,
        turns: turns.length,
        calls: ofKind(events, "call").map(({ call }) => call),
        rest: ofKind(events, "usage").map(({ model, usage }) => ({ model, usage })),
        compactions: ofKind(events, "compaction"),
        problems: ofKind(events, "problem"),
        entries: measured.map((one) => ({ ...one, sent: sent.get(one.id) ?? 0 })),
        rewinds,
      };
    },
  };
}

function measureEntry(
  { entry, line, agentId, isMeta = false }: EntryItem,
  counter: Pick<TokenCounter, "countEntry">,
  files: ReadonlyMap<string, readonly string[]>,
  titles: ReadonlyMap<string, string>,
): Omit<MeasuredEntry, "sent" | "callsBefore"> {
  const content = "content" in entry ? entry.content : undefined;
  const isResult = entry.type === "observation";
  const calls = entry.type === "action" ? entry.toolCalls.map(({ id }) => id) : [];
  const named = (isResult ? [entry.callId] : calls).flatMap((id) => files.get(id) ?? []);
  const text = content === undefined ? "" : plainText(content);
  const called = calls.map((id) => titles.get(id)).join(", ");
  const title = isResult ? (titles.get(entry.callId) ?? "") : calls.length > 0 ? called : "";
  return {
    id: entry.id,
    line,
    role: roleOf(entry.type, isMeta),
    ...(isResult && { toolName: entry.toolName, callId: entry.callId }),
    files: [...new Set(named)],
    turnId: entry.turnId,
    agentId,
    tokens: counter.countEntry(entry),
    hash: contentHash([isResult ? entry.toolName : entry.type, content ?? ""]),
    label: (title === "" ? text : title).slice(0, 200).replaceAll(/\s+/g, " ").trim().slice(0, 80),
  };
}

function roleOf(type: EntryItem["entry"]["type"], isMeta: boolean): EntryWeightRole {
  if (type === "summary") return "summaries";
  if (type === "system_message" || isMeta) return "instructions";
  if (type === "observation") return "tool results";
  return type === "user_message" ? "user" : "assistant";
}

interface Held {
  readonly tokens: number;
  readonly node: string;
  readonly parent: string | undefined;
  readonly id: string;
  readonly callId: string | undefined;
  readonly isSummary: boolean;
  /** Number of calls before the entry was added. */
  readonly from: number;
}

type PromptTracker = ReturnType<typeof promptTracker>;

/** Tracks which entries each prompt of one agent contains. Linear: an entry is added once and removed once. */
function promptTracker() {
  const sent = new Map<string, number>();
  let held: Held[] = [];
  let calls = 0;
  const leave = ({ id, from }: Held): void => void sent.set(id, calls - from);
  const keep = (isKept: (one: Held) => boolean): void => {
    for (const one of held) if (!isKept(one)) leave(one);
    held = held.filter(isKept);
  };
  /** Removes the messages after `parent`, which were rewound, unless they are results of parallel calls. */
  const rewind = (
    parent: string | undefined,
  ): Pick<Rewind, "heldTokens" | "keptTokens"> | undefined => {
    if (held.length === 0 || held.at(-1)?.node === parent) return undefined;
    const index = held.findLastIndex(({ node }) => node === parent);
    // Entries that a compaction kept follow its summary.
    if (held[index]?.isSummary) return undefined;
    const behind = held.slice(index + 1);
    if (behind.every((one) => one.callId !== undefined)) return undefined;
    const before = new Set(held.slice(0, index + 1).map(({ node }) => node));
    const isGone = new Set(
      behind.filter((one) => one.callId === undefined || !before.has(one.parent ?? "")),
    );
    const heldTokens = sumOf(held);
    keep((one) => !isGone.has(one));
    return { heldTokens, keptTokens: sumOf(held) };
  };
  return {
    /** Adds an entry and its tokens after the message that it answers. Removes what it rewound, and returns the tokens before and after, if any. */
    add: ({ entry, node, parent }: EntryItem, tokens: number) => {
      const isSummary = entry.type === "summary";
      const callId = entry.type === "observation" ? entry.callId : undefined;
      const one: Held = { tokens, node, parent, id: entry.id, callId, isSummary, from: calls };
      const cover = entry.type === "summary" ? entry.covers?.at(-1)?.to : undefined;
      if (cover !== undefined) {
        const end = held.findIndex(({ id }) => id === cover);
        const covered = new Set(held.slice(0, end < 0 ? held.length : end + 1));
        keep((other) => !covered.has(other));
        held.unshift(one);
        return undefined;
      }
      const isNext = callId !== undefined || node === held.at(-1)?.node;
      const rewound = isNext ? undefined : rewind(parent);
      held.push(one);
      return rewound;
    },
    /** Counts a call that sends the present prompt. */
    call: () => void (calls += 1),
    calls: () => calls,
    compact: ({ how, callIds = [] }: CompactionItem) => {
      const cleared = new Set(how === "clearing" ? callIds : []);
      keep(({ callId }) => callId === undefined || !cleared.has(callId));
    },
    /** Returns the number of calls that sent each entry. */
    sent: (): ReadonlyMap<string, number> => {
      for (const one of held) leave(one);
      held = [];
      return sent;
    },
  };
}

function sumOf(held: readonly Held[]): number {
  return held.reduce((sum, { tokens }) => sum + tokens, 0);
}
