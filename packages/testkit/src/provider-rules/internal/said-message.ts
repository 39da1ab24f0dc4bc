import { messageRole } from "@agent-history/core";
import type { Content, HistoryEntry, MessageRole, Viewer } from "@agent-history/core";

import { isBlank } from "./read-field.ts";

/** What an entry says to a provider, before any provider's form. */
export interface SaidMessage {
  readonly role: MessageRole;
  readonly text: string;
  /** It holds an image or a file, and so is not empty without a text. */
  readonly hasMedia: boolean;
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments: string;
  }[];
  /** The call that it answers. */
  readonly answers?: { readonly id: string; readonly name: string };
}

/** Says each entry as its viewer reads it. */
export function sayEntry(entry: HistoryEntry, viewer: Viewer | undefined): SaidMessage {
  const rendered = entry.type === "user_message" ? entry.rendered : undefined;
  const content = rendered ?? entry.content ?? "";
  return {
    role: messageRole(entry, viewer),
    text: textOf(content),
    hasMedia:
      typeof content !== "string" &&
      content.some(({ type }) => type === "image" || type === "file"),
    calls: entry.type === "action" ? entry.toolCalls : [],
    ...(entry.type === "observation" && { answers: { id: entry.callId, name: entry.toolName } }),
  };
}

function textOf(content: Content): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** A turn of one role: what is said in a row, joined, as the converters of the providers join it. */
export interface SaidTurn {
  readonly role: "user" | "assistant";
  readonly results: readonly { readonly id: string; readonly name: string }[];
  /** What is said beside, in its order. Blank texts are left out. */
  readonly parts: readonly SaidMessage[];
}

/** Joins what is said in a row by one role. Results stand first in their turn; system messages stand apart and are left out. */
export function joinSaid(said: readonly SaidMessage[]): readonly SaidTurn[] {
  const turns: SaidTurn[] = [];
  for (const message of said) {
    const { answers, calls, text, hasMedia } = message;
    const isEmpty = answers === undefined && calls.length === 0 && isBlank(text) && !hasMedia;
    if (message.role === "system" || isEmpty) continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const before = turns.at(-1);
    const last = before?.role === role ? before : { role, results: [], parts: [] };
    const isLate = answers !== undefined && last.parts.length > 0;
    const results = answers === undefined ? last.results : [...last.results, answers];
    const parts = answers === undefined || isLate ? [...last.parts, message] : last.parts;
    turns.splice(last === before ? -1 : turns.length, last === before ? 1 : 0, {
      role,
      results: isLate ? last.results : results,
      parts,
    });
  }
  return turns;
}
