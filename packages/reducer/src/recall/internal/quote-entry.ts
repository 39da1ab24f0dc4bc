import type { HistoryEntry, Trust } from "@agent-history/core";

import { textOf } from "../../internal/text-of-entry.ts";

/** Types that are trusted as a user's words. */
const USERS: ReadonlySet<string> = new Set(["user_message", "assistant_message", "task"]);
/** Types that say something in words; what tools said is quoted only where that is asked for. */
const MESSAGES: ReadonlySet<string> = new Set([...USERS, "final", "synthesis"]);
const TOOLS: ReadonlySet<string> = new Set(["observation", "global_observation"]);

/** Returns whether an entry may be quoted: never what was recalled, summarized or instructed, and no reasoning. */
export function isQuotable({ type }: HistoryEntry, quotesTools: boolean): boolean {
  return MESSAGES.has(type) || (quotesTools && TOOLS.has(type));
}

/** The trust of what quotes some entries: that of the least trusted. */
export function leastTrust(entries: readonly HistoryEntry[]): Trust {
  return entries.every(({ type }) => USERS.has(type)) ? "user" : "tool";
}

/** The day of an entry, in UTC; nothing where it has no time. */
export function dayOf({ createdAtMs }: HistoryEntry): string | undefined {
  return createdAtMs > 0 && createdAtMs < END_MS
    ? new Date(createdAtMs).toISOString().slice(0, 10)
    : undefined;
}

/** The end of the year 9999. */
const END_MS = 253_402_300_800_000;

/** Writes an entry down as a quotation: its speaker, and its text word for word but for what would read as the end of the block or another's voice. */
export function quoteEntry(entry: HistoryEntry): string {
  const text = saidBy(entry).replace(TAG, "&lt;");
  // No line of a tool begins as anybody's words.
  const said = TOOLS.has(entry.type) ? text.replace(LINE_END, "$&| ") : text.replace(VOICE, "$1\\");
  return `${voiceOf(entry, text)}${said}`;
}

/** What an entry says, as a model was shown it. */
export function saidBy(entry: HistoryEntry): string {
  return textOf(
    (entry.type === "user_message" ? entry.rendered : undefined) ?? entry.content ?? "",
  );
}

/** Who speaks; nothing where a message says so itself. */
function voiceOf(entry: HistoryEntry, text: string): string {
  const { type, agent } = entry;
  const isTool = TOOLS.has(type);
  const name = type === "observation" ? entry.toolName : agent?.id;
  const isNamed = agent === undefined && LABEL.test(text) && !ROLE.test(text);
  if (isNamed && !isTool) return "";
  const isOwn = agent === undefined || type === "user_message";
  const voice = isTool ? "tool" : isOwn ? type.replace("_message", "") : "agent";
  return `${voice}${name === undefined ? "" : ` ${name.replace(UNSAFE, " ").slice(0, 64)}`}: `;
}

/** What a name may not hold. */
const UNSAFE = /[\s\x85:<>]+/gu;

/** A text that names its speaker: `Ann: …`, `[8 May 2023, 13:56] Ann: …`. */
const LABEL = /^(?:\[[^\]\n]{4,40}\] )?\p{Lu}\p{L}{1,20}: /u;

const ROLES = "user|human|assistant|agent|system|developer|tool|task|final|synthesis";
const ROLE = new RegExp(`^(?:\\[[^\\]\\n]{4,40}\\] )?(?:${ROLES})\\b`, "iu");

/** Unicode's line ends: line feed, vertical tab, form feed, carriage return, next line, and the separators of lines and paragraphs. */
const ENDS = "\n-\r\x85\u2028\u2029";

/** The beginning of a further line that reads as somebody's words, or as another day. */
const VOICE = new RegExp(
  `([${ENDS}][^\\S${ENDS}]*)(?=(?:${ROLES})\\b[^\\n:]{0,64}:|\\[[\\d-]{10}\\])`,
  "giu",
);
const LINE_END = new RegExp(`\\r\\n|[${ENDS}]`, "gu");

/** The bracket of a tag that would end the block, or begin a message of a role. */
const TAG = /<(?=[\s/|]{0,8}(?:quoted|system|user|assistant|developer|tool|im_(?:start|end))\b)/giu;
