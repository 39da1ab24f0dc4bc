import type { HistoryEntry } from "@agent-history/core";

/** What a provider knows of a block: the request under which it was made. */
interface Made {
  /** All that was sent but reasoning, as text. */
  readonly prefix: string;
  /** The name of the block before it; empty without one. */
  readonly before: string;
  readonly reader: string;
}

/**
 * A provider that remembers under which request each block of reasoning was made, by the block's text. It shares no code with the fit: a prompt is compared as text.
 */
export function rememberingProvider(): {
  /** Returns the blocks of a request that are not valid where they stand, and how many there are. */
  readonly check: (
    sent: readonly HistoryEntry[],
    reader: string,
    tools: string,
  ) => { readonly invalid: readonly string[]; readonly blocks: number };
  /** Remembers a block that was made after a request. */
  readonly make: (
    name: string,
    sent: readonly HistoryEntry[],
    reader: string,
    tools: string,
  ) => void;
} {
  const made = new Map<string, Made>();
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
    make: (name, sent, reader, tools) => {
      const before = blocksOf(sent, tools).at(-1)?.name ?? "";
      made.set(name, { prefix: shownText(sent, tools), before, reader });
    },
  };
}

function shownText(sent: readonly HistoryEntry[], tools: string): string {
  return `${tools}\n${sent.map(withoutReasoning).join("\n")}`;
}

function withoutReasoning({ createdAtMs, metadata, pinned, ...entry }: HistoryEntry): string {
  const { content } = entry;
  const parts = Array.isArray(content) ? content.filter(({ type }) => type !== "reasoning") : [];
  return JSON.stringify(
    Array.isArray(content) ? [entry.type, entry.id, parts, callsOf(entry)] : entry,
  );
}

function callsOf(entry: object): unknown {
  return "toolCalls" in entry ? entry.toolCalls : [];
}

function blocksOf(
  sent: readonly HistoryEntry[],
  tools: string,
): readonly { readonly name: string; readonly prefix: string }[] {
  return sent.flatMap(({ content }, index) => {
    if (!Array.isArray(content)) return [];
    const prefix = shownText(sent.slice(0, index), tools);
    return content.flatMap((part) =>
      part.type === "reasoning" ? [{ name: part.text, prefix }] : [],
    );
  });
}
