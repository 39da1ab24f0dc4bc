import type {
  AsyncTokenCounter,
  AttachmentEntry,
  Content,
  HistoryEntry,
  TokenCounter,
  Viewer,
} from "@agent-history/core";

/** Which uploads are shown, and how much of them. */
export interface UploadLimits {
  /** The ids of those to show; without them, all. */
  readonly selected: readonly string[] | undefined;
  /** What all may have together. */
  readonly maxTokens: number;
  readonly counter: TokenCounter | AsyncTokenCounter;
  readonly viewer: Viewer;
  readonly signal: AbortSignal | undefined;
}

/** A shorter head says nothing. */
const MIN_CHARACTERS = 200;

/**
 * Shows the uploads that are selected, the newest within their share: one that passes it keeps its head, older ones become a line each. Says
 * the same of the same entries, whatever was shown before.
 */
export async function limitUploads(
  entries: readonly HistoryEntry[],
  limits: UploadLimits,
): Promise<readonly HistoryEntry[]> {
  if (!entries.some(isLimited)) return entries;
  const { selected, maxTokens } = limits;
  const chosen = selected && new Set(selected);
  let room = maxTokens;
  let isChanged = false;
  const shown: HistoryEntry[] = [];
  for (const entry of entries.toReversed()) {
    if (!isLimited(entry)) {
      shown.push(entry);
      continue;
    }
    if (chosen?.has(entry.id) === false) {
      isChanged = true;
      continue;
    }
    const tokens = await countOf(entry, limits);
    if (tokens <= room) {
      room -= tokens;
      shown.push(entry);
      continue;
    }
    isChanged = true;
    shown.push(await shorten(entry, tokens, room, limits));
    room = 0;
  }
  return isChanged ? shown.toReversed() : entries;
}

function isLimited(entry: HistoryEntry): entry is AttachmentEntry {
  return entry.type === "attachment" && entry.pinned !== true;
}

async function shorten(
  entry: AttachmentEntry,
  tokens: number,
  room: number,
  limits: UploadLimits,
): Promise<AttachmentEntry> {
  const text = textOf(entry.content) ?? "";
  let length = Math.floor((text.length * room) / tokens);
  while (length >= MIN_CHARACTERS) {
    const shortened = { ...entry, content: headOf(text, length) };
    if ((await countOf(shortened, limits)) <= room) return shortened;
    length = Math.floor(length * 0.8);
  }
  const name = entry.name === undefined ? "" : `: ${entry.name}`;
  return { ...entry, content: `[upload left out${name}, ${tokens} tokens]` };
}

/** One character fewer where a pair of surrogates would be cut in two. */
function headOf(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
  return `${text.slice(0, end)}\n[${text.length - end} more characters of this upload are left out]`;
}

/** The text of an upload that is nothing but text; a file or image cannot be cut. */
function textOf(content: Content): string | undefined {
  if (typeof content === "string") return content;
  const texts = content.map((part) => (part.type === "text" ? part.text : undefined));
  return texts.includes(undefined) ? undefined : texts.join("\n");
}

async function countOf(
  entry: HistoryEntry,
  { counter, viewer, signal }: UploadLimits,
): Promise<number> {
  return counter.countEntry(entry, viewer, signal);
}
