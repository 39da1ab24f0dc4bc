import type { HistoryEntry } from "@agent-history/core";

/** What a provider knows of a block: the request for which it was made. */
interface Made {
  /** Everything that was sent except reasoning, as text. */
  readonly prefix: string;
  /** The name of the previous block; empty without one. */
  readonly before: string;
  readonly reader: string;
}

/**
 * A provider that remembers, by a block's text, the request for which each block of reasoning was made. It shares no code with the fit: prompts are compared as text.
 */
export function rememberingProvider(): {
  /** Returns the blocks of a request that are invalid at their position, and how many blocks there are. */
  readonly check: (
    sent: readonly HistoryEntry[],
    reader: string,
    tools: string,
  ) => { readonly invalid: readonly string[]; readonly blocks: number };
  /** Remembers what a summary replaces: blocks after it stay valid as if nothing had been summarized. */
  readonly summarize: (name: string, sent: readonly HistoryEntry[], tools: string) => void;
  /** Remembers a block that was made for a request. */
  readonly make: (
    name: string,
    sent: readonly HistoryEntry[],
    reader: string,
    tools: string,
  ) => void;
} {
  const made = new Map<string, Made>();
  const summaries = new Map<string, { readonly base: string; readonly text: string }>();
  /** Returns everything that was sent except reasoning, as text; a summary reads as what it replaces. */
  const shownText = (sent: readonly HistoryEntry[], tools: string): string => {
    const base = baseOf(sent, tools);
    let text = tools;
    for (const entry of sent) {
      const known = entry.type === "summary" ? summaries.get(entry.id) : undefined;
      text = known?.base === base ? known.text : `${text}\n${withoutReasoning(entry)}`;
    }
    return text;
  };
  const blocksOf = (sent: readonly HistoryEntry[], tools: string) =>
    sent.flatMap(({ content }, index) => {
      if (!Array.isArray(content)) return [];
      const prefix = shownText(sent.slice(0, index), tools);
      return content.flatMap((part) =>
        part.type === "reasoning" ? [{ name: part.text, prefix }] : [],
      );
    });
  return {
    check: (sent, reader, tools) => {
      const blocks = blocksOf(sent, tools);
      let before = "";
      const first = blocks.findIndex(({ name, prefix }, nth) => {
        const known = made.get(name);
        const isChained = nth === 0 || known?.before === before;
        before = name;
        return known?.prefix !== prefix || known.reader !== reader || !isChained;
      });
      const invalid = first < 0 ? [] : blocks.slice(first);
      return { invalid: invalid.map(({ name }) => name), blocks: blocks.length };
    },
    summarize: (name, sent, tools) => {
      summaries.set(name, { base: baseOf(sent, tools), text: shownText(sent, tools) });
    },
    make: (name, sent, reader, tools) => {
      const before = blocksOf(sent, tools).at(-1)?.name ?? "";
      made.set(name, { prefix: shownText(sent, tools), before, reader });
    },
  };
}

/** Returns what precedes all messages. */
function baseOf(sent: readonly HistoryEntry[], tools: string): string {
  return JSON.stringify([tools, sent.filter(({ type }) => type === "system_message")]);
}

/** An action that lost only its reasoning has no content. */
function withoutReasoning({ createdAtMs, metadata, pinned, ...entry }: HistoryEntry): string {
  const { content } = entry;
  if (typeof content === "string") return JSON.stringify(entry);
  const parts = (content ?? []).filter(({ type }) => type !== "reasoning");
  return JSON.stringify([entry.type, entry.id, parts, callsOf(entry)]);
}

function callsOf(entry: object): unknown {
  return "toolCalls" in entry ? entry.toolCalls : [];
}
