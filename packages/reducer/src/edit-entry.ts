import { contentText } from "@agent-history/core";
import type {
  Content,
  ContentPart,
  EntryEdit,
  HistoryEntry,
  Source,
  ToolCall,
} from "@agent-history/core";
import { withoutReasoning } from "@agent-history/core/kit";

import { shrinkJson, shrinkText } from "./shrink-text.ts";

/** Edited forms by entry and edit, so that the same edit returns the same object (L5). */
const remembered = new WeakMap<HistoryEntry, Map<string, HistoryEntry>>();
/** Maximum cached forms per entry; the oldest is evicted. A cut tries several lengths of a text. */
const MOST_FORMS = 8;

/**
 * Makes an entry smaller. Text is shortened in results, attachments, requests, answers and reports; media become stubs; tool call
 * arguments are only cleared, with `clearArguments`; reasoning is kept or left out entirely; system messages and opaque parts never change. An
 * entry that the edit does not change is returned by identity.
 */
export function editEntry(entry: HistoryEntry, edit: EntryEdit): HistoryEntry {
  const forms = remembered.get(entry) ?? new Map<string, HistoryEntry>();
  remembered.set(entry, forms);
  const name = JSON.stringify(edit);
  const edited = forms.get(name) ?? applyEdit(entry, edit);
  forms.delete(name);
  forms.set(name, edited);
  const [oldest = name] = forms.keys();
  if (forms.size > MOST_FORMS) forms.delete(oldest);
  return edited;
}

const SOURCES_LEFT_OUT = "[sources left out]";
/** Providers reject an empty message. */
const REASONING_LEFT_OUT = "[reasoning left out]";

function applyEdit(
  whole: HistoryEntry,
  { withoutReasoning: reason, ...edit }: EntryEdit,
): HistoryEntry {
  const entry = reason === undefined ? whole : leaveOutReasoning(whole);
  switch (entry.type) {
    case "observation": {
      const { sources: given } = entry;
      const content = editContent(entry.content, edit);
      if (given === undefined) return withContent(entry, content);
      const sources = editSources(given, edit, contentText(content).length);
      if (content === entry.content && sources === given) return entry;
      const { sources: _, ...rest } = entry;
      if (sources.length > 0) return { ...rest, content, sources };
      // A model that sees an empty result calls the tool again.
      const length = given.reduce((sum, { text }) => sum + text.length, 0);
      const isEmpty = content === "" && length > SOURCES_LEFT_OUT.length;
      return { ...rest, content: isEmpty ? SOURCES_LEFT_OUT : content };
    }
    case "action": {
      const { content } = entry;
      const stubbed = content === undefined ? content : editContent(content, mediaEdit(edit));
      const shown = stubbed === content ? entry : { ...entry, content: stubbed ?? "" };
      if (edit.clearArguments !== true) return shown;
      const toolCalls = mapSame(entry.toolCalls, clearArguments);
      return toolCalls === entry.toolCalls ? shown : { ...shown, toolCalls };
    }
    case "attachment":
      return withContent(entry, editContent(entry.content, edit, `${entry.name ?? "upload"}, `));
    case "user_message": {
      const { rendered } = entry;
      const said = withContent(entry, editContent(entry.content, messageEdit(edit)));
      if (rendered === undefined) return said;
      const shown = editContent(rendered, messageEdit(edit));
      return shown === rendered ? said : { ...said, rendered: shown };
    }
    case "global_observation":
      return withContent(entry, editContent(entry.content, mediaEdit(edit)));
    case "task":
    case "assistant_message":
    case "final":
    case "synthesis":
      return withContent(entry, editContent(entry.content, messageEdit(edit)));
    default:
      return entry;
  }
}

/** A source with room for fewer characters is left out. */
const LEAST_SOURCE = 40;

/** Keeps the chosen sources whose texts fit the limit of a result beside its content, by rank; shortens the last of them. */
function editSources(
  given: readonly Source[],
  { sources: chosen, text: limits, clear }: EntryEdit,
  used: number,
): readonly Source[] {
  const { head, tail } = limits ?? { head: Infinity, tail: 0 };
  const numbers = chosen && new Set(chosen);
  let left = head + tail - used;
  const kept = given.flatMap((source): Source | [] => {
    const { number, text } = source;
    if (clear !== undefined || numbers?.has(number) === false) return [];
    const most = left;
    left -= text.length;
    if (text.length <= most) return source;
    const share = most / (head + tail);
    const ends = { head: Math.ceil(head * share), tail: Math.floor(tail * share) };
    return most < LEAST_SOURCE ? [] : { ...source, text: editText(text, { text: ends }) };
  });
  const isSame = kept.length === given.length && kept.every((one, nth) => one === given[nth]);
  return isSame ? given : kept;
}

function leaveOutReasoning(whole: HistoryEntry): HistoryEntry {
  const entry = withoutReasoning(whole);
  const isBare = entry !== whole && Array.isArray(entry.content) && entry.content.length === 0;
  return isBare && entry.type !== "action" ? { ...entry, content: REASONING_LEFT_OUT } : entry;
}

function withContent<Entry extends HistoryEntry & { readonly content: Content }>(
  entry: Entry,
  content: Content,
): Entry {
  return content === entry.content ? entry : { ...entry, content };
}

/** Maps a list; returns the same array if nothing changed. */
function mapSame<Item>(list: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const changed = list.map(change);
  return changed.every((item, index) => item === list[index]) ? list : changed;
}

/** The text of a message is shortened and its media become stubs; it is never cleared. */
function messageEdit({ clear, sources, ...edit }: EntryEdit): EntryEdit {
  return edit;
}

function mediaEdit({ stubMedia }: EntryEdit): EntryEdit {
  return stubMedia === true ? { stubMedia } : {};
}

function editContent(content: Content, edit: EntryEdit, name = ""): Content {
  const cleared = edit.clear === undefined ? content : clearContent(content, edit.clear, name);
  if (cleared !== content) return cleared;
  if (typeof content === "string") return editText(content, edit);
  return mapSame(content, (part) => editPart(part, edit));
}

/** Replaces content by one line. Reasoning and opaque parts are kept; they are only dropped with their exchange. */
function clearContent(content: Content, line: true | string, name: string): Content {
  const fixed = typeof content === "string" ? [] : content.filter(isFixed);
  const texts =
    typeof content === "string"
      ? [content]
      : content.flatMap((part) => {
          if (isFixed(part)) return [];
          return part.type === "text" ? part.text : JSON.stringify(part);
        });
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const stub = line === true ? `[cleared: ${name}${length} characters]` : line;
  if (!isWorth(stub, length)) return content;
  return fixed.length === 0 ? stub : [{ type: "text", text: stub }, ...fixed];
}

/** Returns whether a line may replace a text. One that is not much longer stays, so that no line of ours is ever replaced by another. */
function isWorth(line: string, length: number): boolean {
  return line.length * 2 <= length;
}

/** Providers parse arguments, so they must stay JSON. */
function clearArguments(call: ToolCall): ToolCall {
  const { length } = call.arguments;
  const line = JSON.stringify({ cleared: `${length} characters` });
  return isWorth(line, length) ? { ...call, arguments: line } : call;
}

function isFixed({ type }: ContentPart): boolean {
  return type === "reasoning" || type === "opaque";
}

function editPart(part: ContentPart, edit: EntryEdit): ContentPart {
  switch (part.type) {
    case "text": {
      const text = editText(part.text, edit);
      return text === part.text ? part : { ...part, text };
    }
    case "image":
    case "file":
      return edit.stubMedia === true ? { type: "text", text: stubOf(part) } : part;
    case "reasoning":
    case "opaque":
      return part;
  }
}

function stubOf(part: Extract<ContentPart, { readonly type: "image" | "file" }>): string {
  const size =
    part.type === "image" && part.width !== undefined && part.height !== undefined
      ? `${part.width}×${part.height}`
      : undefined;
  const name = part.type === "file" ? part.name : undefined;
  const facts = [part.type, name, part.mediaType, size].filter((fact) => fact !== undefined);
  return `[left out: ${facts.join(", ")}]`;
}

function editText(text: string, { text: limits }: EntryEdit): string {
  if (limits === undefined || text.length <= limits.head + limits.tail) return text;
  return shrinkJson(text, limits.head + limits.tail) ?? shrinkText(text, limits);
}
