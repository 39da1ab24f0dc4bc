import type { HistoryEntry, JsonObject } from "@agent-history/core";

import { messageBehind } from "./came-as.ts";
import { classOf, typeOf } from "./message-fields.ts";

/** Makes a message of its fields. */
export type MakeMessage = (fields: JsonObject) => object;

/**
 * Makes messages as those of the same conversation are made: of LangChain's classes, where one of the same type was among them, else plain
 * objects.
 */
export function makeMessagesLike(entries: readonly HistoryEntry[]): MakeMessage {
  let classes: ReadonlyMap<unknown, new (fields: object) => object> | undefined;
  return (fields) => {
    classes ??= classesOf(entries);
    const made = classes.get(fields["type"]);
    if (made === undefined) return fields;
    // A class says its type itself.
    const { type: _, ...said } = fields;
    return new made(said);
  };
}

function classesOf(
  entries: readonly HistoryEntry[],
): ReadonlyMap<unknown, new (fields: object) => object> {
  const classes = new Map<unknown, new (fields: object) => object>();
  for (const entry of entries) {
    const message = messageBehind(entry);
    if (message === undefined) continue;
    const [type, made] = [typeOf(message), classOf(message)];
    if (type !== undefined && !classes.has(type) && isConstructor(made)) classes.set(type, made);
  }
  return classes;
}

function isConstructor(value: unknown): value is new (fields: object) => object {
  return typeof value === "function";
}
