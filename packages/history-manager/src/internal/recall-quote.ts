import { renderSources } from "@agent-history/core";
import type {
  AsyncTokenCounter,
  Content,
  HistoryEntry,
  Source,
  TokenCounter,
} from "@agent-history/core";

/** An excerpt of an original. */
export interface Excerpt {
  readonly entry: HistoryEntry;
  readonly number: number;
  /** The full text of the entry. */
  readonly text: string;
  /** The first character quoted, and the one after the last. */
  readonly from: number;
  readonly to: number;
}

/** Quotes a part of an entry under its mark, and says how to read on. Each quoted line begins with `> `, so that it cannot be taken for anything else. */
export function quoteExcerpt(excerpt: Excerpt): string {
  const { entry, number, text, from, to } = excerpt;
  const isWhole = from === 0 && to === text.length;
  const part = isWhole ? "whole" : `characters ${from} to ${to} of ${text.length}`;
  const head = `[source${number}] ${describeEntry(entry)}, ${part}, id ${JSON.stringify(entry.id)}`;
  const next = to < text.length ? `\nMore: from ${to}` : "";
  return `${head}\n${quoteLines(text.slice(from, to))}${next}`;
}

/** Prefix of the ids of sources that are entries of the thread. */
export const ENTRY_SOURCE = "entry:";

/** Title of an excerpt, for user interfaces. */
export function excerptSource({ entry, number, text, from, to }: Excerpt): Source {
  return {
    number,
    id: `${ENTRY_SOURCE}${entry.id}`,
    text: text.slice(from, to),
    title: describeEntry(entry),
  };
}

/** Describes an entry and when it was written: `result of read_file, 2026-11-22 10:05`. */
function describeEntry(entry: HistoryEntry): string {
  const what = KINDS.get(entry.type) ?? onOneLine(entry.type);
  const tool = entry.type === "observation" ? ` ${onOneLine(entry.toolName)}` : "";
  const failed =
    entry.type === "observation" && entry.outcome !== "success" ? ` (${entry.outcome})` : "";
  const by = entry.agent === undefined ? "" : ` by ${onOneLine(entry.agent.id)}`;
  return `${what}${tool}${failed}${by}, ${timeOf(entry.createdAtMs)}`;
}

const KINDS = new Map<string, string>([
  ["user_message", "message of the user"],
  ["assistant_message", "answer to the user"],
  ["action", "tool call"],
  ["observation", "result of"],
]);

function timeOf(ms: number): string {
  // An invalid time has no day.
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString().slice(0, 16).replace("T", " ") : "";
}

/** Names come from users and models: they must not start a line or a mark. */
export function onOneLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}[\]\uFE47\uFE48\uFF3B\uFF3D]+/gu, " ");
  return line.slice(0, characterStart(line, 80)).trim();
}

/** Prefixes each line with `> `, for any kind of line break. */
function quoteLines(text: string): string {
  return text
    .split(LINE_BREAK)
    .map((line) => `> ${line}`)
    .join("\n");
}

const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/u;

/** The text of an entry: its content, calls and sources, without reasoning and provider data. */
export function originalText(entry: HistoryEntry, left: ReadonlySet<string>): string {
  switch (entry.type) {
    case "action": {
      const calls = entry.toolCalls.filter(({ name }) => !left.has(name));
      const lines = calls.map((call) => `${call.name} ${call.arguments}`);
      return joined([textOf(entry.content), ...lines]);
    }
    case "observation":
    case "global_observation":
      return joined([textOf(entry.content), renderSources(entry.sources ?? [])]);
    case "user_message":
      return textOf(entry.rendered ?? entry.content);
    case "opaque":
      return "";
    default:
      return textOf(entry.content);
  }
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n");
}

/** A custom entry may have no content. */
function textOf(content: Content | undefined): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return joined(
    content.map((part) => (part.type === "text" ? part.text : (MARKS.get(part.type) ?? ""))),
  );
}

const MARKS = new Map([
  ["image", "(an image)"],
  ["file", "(a file)"],
]);

type TextCounter = Pick<TokenCounter | AsyncTokenCounter, "countText">;

/** Truncates a text to its longest prefix of at most `maxTokens`, never within a character. */
export async function truncateToTokens(
  text: string,
  maxTokens: number,
  counter: TextCounter,
): Promise<string> {
  const begin = (length: number): string => text.slice(0, characterStart(text, length));
  const within = { size: text.length, render: begin, maxTokens, counter };
  return (await longestWithin(within))?.text ?? "";
}

/** Texts of increasing size, of which the largest that fits is wanted. */
export interface SizedText {
  /** The largest size. */
  readonly size: number;
  /** Returns the text of a size, from 0. Larger sizes are assumed to have more tokens; the returned text was counted. */
  readonly render: (size: number) => string;
  readonly maxTokens: number;
  readonly counter: TextCounter;
}

/** Returns the text of the largest size with at most `maxTokens`, and that size; `undefined` if none fits. */
export async function longestWithin(
  sized: SizedText,
): Promise<{ readonly text: string; readonly size: number } | undefined> {
  const { render, maxTokens, counter } = sized;
  const fits = async (text: string): Promise<boolean> =>
    (await counter.countText(text)) <= maxTokens;
  const whole = render(sized.size);
  if (await fits(whole)) return { text: whole, size: sized.size };
  let best: { readonly text: string; readonly size: number } | undefined;
  let low = 0;
  let high = sized.size - 1;
  while (low <= high) {
    const size = Math.floor((low + high) / 2);
    const text = render(size);
    if (await fits(text)) {
      best = { text, size };
      low = size + 1;
    } else high = size - 1;
  }
  return best;
}

/** The nearest position at or before `index` that does not split a surrogate pair. */
export function characterStart(text: string, index: number): number {
  const at = Math.min(index, text.length);
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1)) ? at - 1 : at;
}
