import type { Content } from "./content.ts";
import { isEntryType } from "./entry-types.ts";
import type { EntryType } from "./entry-types.ts";
import type { EntryBase, EntryOf, HistoryEntry } from "./history-entry.ts";
import { HistoryError } from "./history-error.ts";

/** The fields of an entry without its `type`; a missing id or time is filled in. */
export type EntryFields<Type extends EntryType> = Omit<
  EntryOf<Type>,
  "type" | "id" | "createdAtMs"
> & { readonly id?: string; readonly createdAtMs?: number };

/** Where ids and times come from; pass your own to make them repeatable (L8). */
export interface EntrySources {
  /** Returns a new unique id. Default: UUIDv7, which sorts by time. */
  readonly newId?: () => string;
  /** Returns the time in epoch milliseconds. Default: the clock. */
  readonly now?: () => number;
}

/** Builds an entry of one type from its fields. */
export type EntryBuilder<Type extends EntryType> = (
  fields: EntryFields<Type>,
  sources?: EntrySources,
) => EntryOf<Type>;

/** Builds a `system_message`. */
export const systemMessage: EntryBuilder<"system_message"> = builderOf("system_message");

/**
 * Builds a `user_message`.
 *
 * @example
 * ```ts
 * import { userMessage } from "@agent-history/core";
 *
 * userMessage({ content: "Hello" }, { newId: () => "u1", now: () => 0 });
 * // => { type: "user_message", id: "u1", createdAtMs: 0, content: "Hello" }
 * ```
 */
export const userMessage: EntryBuilder<"user_message"> = builderOf("user_message");

/** Builds an `assistant_message`: the answer to the user. */
export const assistantMessage: EntryBuilder<"assistant_message"> = builderOf("assistant_message");

/** Builds a `task`. Entries written for it have its id as `taskId`. */
export const task: EntryBuilder<"task"> = builderOf("task");

/**
 * Builds an `action`: one model answer with its tool calls.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if there is no call, or a call has no id.
 */
export const action: EntryBuilder<"action"> = builderOf("action", (fields) => {
  const calls = fields.toolCalls ?? [];
  const ids = calls.map(({ id }, index) => [`toolCalls.${index}.id`, id] as const);
  return { toolCalls: calls.length, ...Object.fromEntries(ids) };
});

/**
 * Builds an `observation`: the result of one tool call.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if the call id or the tool's name is missing.
 */
export const observation: EntryBuilder<"observation"> = builderOf(
  "observation",
  ({ callId, toolName }) => ({ callId, toolName }),
);

/** Builds an `error`: a failure outside a tool call. */
export const errorEntry: EntryBuilder<"error"> = builderOf("error");

/** Builds a `global_observation`. */
export const globalObservation: EntryBuilder<"global_observation"> =
  builderOf("global_observation");

/** Builds a `synthesis`; set the `phaseId` that it summarizes. */
export const synthesis: EntryBuilder<"synthesis"> = builderOf("synthesis");

/** Builds a `final`: an agent's report when its task is done. */
export const final: EntryBuilder<"final"> = builderOf("final");

/** Builds a `strategic_plan`. */
export const strategicPlan: EntryBuilder<"strategic_plan"> = builderOf("strategic_plan");

/** Builds a `delegation`. */
export const delegation: EntryBuilder<"delegation"> = builderOf("delegation");

/** Builds a `summary`. */
export const summary: EntryBuilder<"summary"> = builderOf("summary");

/** Builds a `memory`. */
export const memory: EntryBuilder<"memory"> = builderOf("memory");

/**
 * Builds an `attachment` of a user message.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if the message's id is missing.
 */
export const attachment: EntryBuilder<"attachment"> = builderOf("attachment", ({ messageId }) => ({
  messageId,
}));

/**
 * Builds an `opaque` entry. Every store keeps it whole; reads return it, formats leave it out, counters count nothing.
 *
 * @example
 * ```ts
 * import { isRendered, opaque } from "@agent-history/core";
 *
 * const mark = opaque({ data: { step: 3 } }, { newId: () => "o1", now: () => 0 });
 * // => { type: "opaque", id: "o1", createdAtMs: 0, data: { step: 3 } }
 * isRendered(mark);
 * // => false
 * ```
 */
export const opaque: EntryBuilder<"opaque"> = builderOf("opaque");

/** @param required - Returns values that may be neither missing, empty nor 0, by path. */
function builderOf<Type extends EntryType>(
  type: Type,
  required?: (fields: EntryFields<Type>) => Readonly<Record<string, unknown>>,
): EntryBuilder<Type> {
  return (fields, sources) => {
    const missing = Object.entries(required?.(fields) ?? {}).find(([, value]) => !value);
    if (missing !== undefined)
      throw invalid(`Expected ${type} to have \`${missing[0]}\`.`, missing[0]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the union names its members, not a function from type to member
    return { ...fields, ...stamp(fields, sources), type } as EntryOf<Type>;
  };
}

/** The fields of a custom entry. */
export interface CustomEntryFields extends Omit<EntryBase, "id" | "createdAtMs"> {
  /** Any text but the name of a built-in type. */
  readonly type: string;
  readonly id?: string;
  readonly createdAtMs?: number;
  /** Shown to a model as a user message. Without it the entry is stored but never sent. */
  readonly content?: Content;
  /** Any JSON. */
  readonly [field: string]: unknown;
}

/**
 * Builds a custom entry. Every store keeps it unchanged; the default filter shows it, and so do clauses that name its type.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if the type is a built-in one or empty.
 *
 * @example
 * ```ts
 * import { customEntry } from "@agent-history/core";
 *
 * customEntry({ type: "feedback", stars: 5 }, { newId: () => "f1", now: () => 0 });
 * // => { type: "feedback", id: "f1", createdAtMs: 0, stars: 5 }
 * ```
 */
export function customEntry(fields: CustomEntryFields, sources?: EntrySources): HistoryEntry {
  if (fields.type === "" || isEntryType(fields.type)) {
    throw invalid("Expected `type` to be a name of your own, not a built-in type.", "type");
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the union names the built-in types, so that a switch over them narrows
  return { ...fields, ...stamp(fields, sources) } as HistoryEntry;
}

function invalid(message: string, path: string): HistoryError {
  return new HistoryError(message, { code: "INVALID_ENTRY", details: { path } });
}

/** Returns the id and time that `fields` lack. */
function stamp(
  fields: { readonly id?: string; readonly createdAtMs?: number },
  { newId = uuidV7, now = Date.now }: EntrySources = {},
): { readonly id: string; readonly createdAtMs: number } {
  return { id: fields.id ?? newId(), createdAtMs: fields.createdAtMs ?? now() };
}

/** Makes a UUID of version 7 (RFC 9562): it sorts by the millisecond in which it was made; the rest is random. */
function uuidV7(): string {
  const time = Date.now().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}
