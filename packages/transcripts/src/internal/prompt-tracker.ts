import type { CompactionItem, EntryItem } from "../transcript-item.ts";

/** Follows which entries the prompt of each call holds, for one agent. */
export interface PromptTracker {
  /** Adds an entry and its tokens behind the message that it answers, and says what was rewound by it, if anything: that leaves. */
  readonly add: (item: EntryItem, tokens: number) => RewoundTokens | undefined;
  /** A call sends what is in the prompt. */
  readonly call: () => void;
  readonly compact: (item: CompactionItem) => void;
  /** In how many calls each entry was sent. */
  readonly sent: () => ReadonlyMap<string, number>;
}

/** What was in the prompt when a message went on from an older one. */
export interface RewoundTokens {
  readonly heldTokens: number;
  readonly keptTokens: number;
}

interface Held {
  readonly tokens: number;
  readonly item: Pick<EntryItem, "node" | "parent">;
  readonly id: string;
  readonly callId: string | undefined;
  readonly isSummary: boolean;
  /** The calls before it was added. */
  readonly from: number;
}

/** Linear: an entry is added once and leaves once. */
export function promptTracker(): PromptTracker {
  const sent = new Map<string, number>();
  let held: Held[] = [];
  let calls = 0;
  const leave = ({ id, from }: Held): void => void sent.set(id, calls - from);
  const keep = (isKept: (one: Held) => boolean): void => {
    const kept = held.filter(isKept);
    if (kept.length === held.length) return;
    for (const one of held) if (!isKept(one)) leave(one);
    held = kept;
  };
  /** Messages behind the one that is answered were rewound, but for results beside each other. */
  const rewind = (parent: string | undefined): RewoundTokens | undefined => {
    const last = held.at(-1);
    if (last === undefined || last.item.node === parent) return undefined;
    const index = held.findLastIndex(({ item }) => item.node === parent);
    // What a compaction kept stands behind its summary.
    if (held[index]?.isSummary) return undefined;
    const behind = held.slice(index + 1);
    if (behind.every((one) => one.callId !== undefined)) return undefined;
    const before = new Set(held.slice(0, index + 1).map(({ item }) => item.node));
    const isGone = new Set(
      behind.filter((one) => one.callId === undefined || !before.has(one.item.parent ?? "")),
    );
    const heldTokens = sumOf(held);
    keep((one) => !isGone.has(one));
    return { heldTokens, keptTokens: sumOf(held) };
  };
  return {
    add: (item, tokens) => {
      const { entry, node, parent } = item;
      const isSummary = entry.type === "summary";
      const callId = entry.type === "observation" ? entry.callId : undefined;
      const location = { node, ...(parent !== undefined && { parent }) };
      const one: Held = { tokens, item: location, id: entry.id, callId, isSummary, from: calls };
      const cover = entry.type === "summary" ? entry.covers?.at(-1)?.to : undefined;
      if (cover !== undefined) {
        const end = held.findIndex(({ id }) => id === cover);
        const covered = new Set(held.slice(0, end < 0 ? held.length : end + 1));
        keep((other) => !covered.has(other));
        held.unshift(one);
        return undefined;
      }
      const isNext = callId !== undefined || node === held.at(-1)?.item.node;
      const rewound = isNext ? undefined : rewind(parent);
      held.push(one);
      return rewound;
    },
    call: () => void (calls += 1),
    compact: ({ how, callIds = [] }) => {
      const cleared = new Set(how === "clearing" ? callIds : []);
      if (cleared.size > 0) keep(({ callId }) => callId === undefined || !cleared.has(callId));
    },
    sent: () => {
      for (const one of held) leave(one);
      held = [];
      return sent;
    },
  };
}

function sumOf(held: readonly Held[]): number {
  return held.reduce((sum, { tokens }) => sum + tokens, 0);
}
