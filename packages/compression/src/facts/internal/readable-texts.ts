import type { Content, HistoryEntry } from "@agent-history/core";

import { withoutLineNumbers } from "./without-line-numbers.ts";

/** Where in a history a text stands; it says how much its facts are worth. */
export type TextOrigin = "user" | "assistant" | "arguments" | "name" | "result";

/** A text of an entry that a fact can be read from. */
export interface ReadableText {
  readonly text: string;
  readonly origin: TextOrigin;
  /** The tool that was called or answered, where there is one. */
  readonly toolName?: string;
}

/** What can be read of an entry: text, calls, sources, names of files. Never reasoning or opaque parts. */
export function readableTexts(entry: HistoryEntry): readonly ReadableText[] {
  switch (entry.type) {
    case "user_message":
      return [
        ...textsOf(entry.content, "user"),
        ...(entry.rendered === undefined ? [] : textsOf(entry.rendered, "result")),
      ];
    case "task":
      return textsOf(entry.content, "user");
    case "attachment":
      return [
        ...(entry.name === undefined ? [] : [named(entry.name)]),
        ...textsOf(entry.content, "result"),
      ];
    case "action":
      return [
        ...textsOf(entry.content ?? "", "assistant"),
        ...entry.toolCalls.flatMap(({ name, arguments: text }): readonly ReadableText[] => [
          named(name),
          { text, origin: "arguments", toolName: name },
        ]),
      ];
    case "observation":
      return [
        ...textsOf(entry.content, "result", entry.toolName).map(readFile),
        ...sourceTexts(entry.sources ?? []),
      ];
    case "global_observation":
      return [...textsOf(entry.content, "result"), ...sourceTexts(entry.sources ?? [])];
    case "error":
      return [
        ...(entry.errorType === undefined ? [] : [named(entry.errorType)]),
        ...textsOf(entry.content, "result"),
      ];
    case "assistant_message":
    case "delegation":
    case "final":
    case "memory":
    case "strategic_plan":
    case "summary":
    case "synthesis":
    case "system_message":
      return textsOf(entry.content, "assistant");
    case "opaque":
      return [];
  }
}

/** The texts of a file as they are, without the numbers that a tool puts before its lines. */
function readFile(readable: ReadableText): ReadableText {
  return { ...readable, text: withoutLineNumbers(readable.text) };
}

function textsOf(content: Content, origin: TextOrigin, toolName?: string): readonly ReadableText[] {
  const tool = toolName === undefined ? {} : { toolName };
  if (typeof content === "string")
    return content === "" ? [] : [{ text: content, origin, ...tool }];
  return content.flatMap((part): readonly ReadableText[] => {
    if (part.type === "text") return [{ text: part.text, origin, ...tool }];
    if (part.type !== "image" && part.type !== "file") return [];
    const name = part.type === "file" && part.name !== undefined ? [named(part.name)] : [];
    if (part.source.kind === "text") return [...name, { text: part.source.text, origin: "result" }];
    return part.source.kind === "url" ? [...name, named(part.source.url)] : name;
  });
}

function sourceTexts(
  sources: readonly { readonly text: string; readonly title?: string; readonly uri?: string }[],
): readonly ReadableText[] {
  return sources.flatMap(({ text, title, uri }): readonly ReadableText[] => [
    ...(title === undefined ? [] : [named(title)]),
    ...(uri === undefined ? [] : [named(uri)]),
    { text, origin: "result" },
  ]);
}

function named(text: string): ReadableText {
  return { text, origin: "name" };
}
