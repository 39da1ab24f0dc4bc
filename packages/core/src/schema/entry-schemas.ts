import { exactOptional as maybe } from "zod/mini";
import * as z from "zod/mini";

import type { Content } from "../content.ts";
import { ENTRY_TYPES } from "../entry-types.ts";
import type { EntryBase, HistoryEntry } from "../history-entry.ts";
import { identical } from "./identical.ts";
import { jsonObjectSchema, jsonValueSchema } from "./json-schemas.ts";

const NON_EMPTY = "Expected a non-empty string";
const COUNT = "Expected a non-negative integer";
const PIXELS = "Expected a positive finite number of pixels";
const CALLS = "Expected a non-empty list of calls";

// JSON has no -0: it becomes 0.
const unsignedZero = z.overwrite<number>((value) => value + 0);
const text = z.string("Expected a string");
const nonEmptyText = z.string(NON_EMPTY).check(z.minLength(1, NON_EMPTY));
const count = z.int(COUNT).check(z.minimum(0, COUNT), unsignedZero);
const flag = z.boolean("Expected true or false");
const pixels = z.number(PIXELS).check(z.positive(PIXELS));
const extra = maybe(jsonObjectSchema);

const agent = sealed({
  id: nonEmptyText,
  role: oneOf("orchestrator", "manager", "worker"),
});
const phaseId = z.union(
  [z.string(), z.number().check(unsignedZero)],
  "Expected a string or a finite number",
);
const origin = sealed({
  format: text,
  message: text,
  index: count,
  derivedId: maybe(flag),
  extra,
  model: maybe(text),
  organization: maybe(text),
});

/** The fields that every entry has. */
const base = {
  id: nonEmptyText,
  createdAtMs: count,
  turnId: maybe(nonEmptyText),
  phaseId: maybe(phaseId),
  taskId: maybe(nonEmptyText),
  agent: maybe(agent),
  pinned: maybe(flag),
  origin: maybe(origin),
  metadata: maybe(jsonObjectSchema),
  leftOut: maybe(list(count, "Expected a list of places")),
};

const source = z.discriminatedUnion(
  "kind",
  [
    sealed({ kind: z.literal("url"), url: text }),
    sealed({ kind: z.literal("data"), base64: text }),
    sealed({ kind: z.literal("text"), text }),
    sealed({ kind: z.literal("id"), id: text }),
  ],
  "Expected url, data, text or id",
);
const part = z.discriminatedUnion(
  "type",
  [
    sealed({ type: z.literal("text"), text, extra }),
    sealed({
      type: z.literal("image"),
      source,
      mediaType: maybe(text),
      width: maybe(pixels),
      height: maybe(pixels),
      detail: maybe(oneOf("low", "high", "auto", "original")),
      extra,
    }),
    sealed({
      type: z.literal("file"),
      source,
      mediaType: maybe(text),
      name: maybe(text),
      pages: maybe(pixels),
      durationMs: maybe(pixels),
      extra,
    }),
    sealed({ type: z.literal("reasoning"), text, data: maybe(jsonValueSchema), extra }),
    sealed({ type: z.literal("opaque"), data: jsonValueSchema, extra }),
  ],
  "Expected text, image, file, reasoning or opaque",
);
const content = identical<Content>()(
  z.union([z.string(), z.readonly(z.array(part))], "Expected text or a list of parts"),
);

const toolCall = sealed({
  id: nonEmptyText,
  name: nonEmptyText,
  arguments: text,
  kind: maybe(oneOf("function", "custom", "approval")),
  callerId: maybe(nonEmptyText),
  extra,
});
const sources = list(
  sealed({ number: count, id: nonEmptyText, text, title: maybe(text), uri: maybe(text) }),
  "Expected a list of sources",
);
const trust = oneOf("system", "user", "tool");
const view = z.union(
  [
    z.literal(["thread", "conversation"]),
    z.templateLiteral(["agent:", z.string().check(z.minLength(1))]),
  ],
  "Expected thread, conversation or agent:<id>",
);
const covers = list(sealed({ from: nonEmptyText, to: nonEmptyText }), "Expected a list of runs");
const parts = list(
  sealed({
    kind: nonEmptyText,
    key: text,
    text,
    at: count,
    state: maybe(text),
    note: maybe(text),
  }),
  "Expected a list of parts",
);

const said = { ...base, content };

/** An entry of any built-in type, discriminated by its `type`. */
const builtIn = identical<HistoryEntry>()(
  z.discriminatedUnion(
    "type",
    [
      sealed({ type: z.literal("system_message"), ...said }),
      sealed({ type: z.literal("user_message"), ...said, rendered: maybe(content) }),
      sealed({ type: z.literal("assistant_message"), ...said }),
      sealed({ type: z.literal("task"), ...said, agent, from: maybe(agent) }),
      sealed({
        type: z.literal("action"),
        ...base,
        content: maybe(content),
        toolCalls: z.readonly(z.array(toolCall, CALLS).check(z.minLength(1, CALLS))),
      }),
      sealed({
        type: z.literal("observation"),
        ...said,
        callId: nonEmptyText,
        toolName: nonEmptyText,
        outcome: oneOf("success", "error", "denied", "cancelled"),
        actionId: maybe(nonEmptyText),
        sources: maybe(sources),
      }),
      sealed({ type: z.literal("error"), ...said, errorType: maybe(text) }),
      sealed({ type: z.literal("global_observation"), ...said, sources: maybe(sources) }),
      sealed({ type: z.literal("synthesis"), ...said }),
      sealed({ type: z.literal("final"), ...said }),
      sealed({ type: z.literal("strategic_plan"), ...said }),
      sealed({ type: z.literal("delegation"), ...said, to: maybe(agent) }),
      sealed({
        type: z.literal("summary"),
        ...said,
        strategy: text,
        trust,
        view: maybe(view),
        covers: maybe(covers),
        parts: maybe(parts),
      }),
      sealed({ type: z.literal("memory"), ...said, trust: maybe(trust) }),
      sealed({
        type: z.literal("attachment"),
        ...said,
        messageId: nonEmptyText,
        name: maybe(text),
      }),
      sealed({
        type: z.literal("opaque"),
        ...base,
        data: jsonValueSchema,
        content: maybe(content),
      }),
    ],
    {
      error: ({ code }) =>
        code === "invalid_union"
          ? `Expected one of ${ENTRY_TYPES.join(", ")}`
          : "Expected an entry",
    },
  ),
);

/** Accepts an entry of any built-in type, discriminated by its `type`, and gives a frozen copy. */
export const historyEntrySchema: z.ZodMiniType<HistoryEntry> = builtIn;

/** The fields of a custom entry that the packages read; it may hold any other JSON. */
export const commonFieldsSchema: z.ZodMiniType<
  EntryBase & { readonly type: string; readonly content?: Content }
> = z.object({ type: nonEmptyText, ...base, content: maybe(content) });

type Sealed<Shape extends z.core.$ZodShape> = z.ZodMiniReadonly<
  z.ZodMiniObject<Shape, z.core.$strict>
>;

/** Builds the schema of a frozen object with only the fields of `shape`. */
function sealed<const Shape extends z.core.$ZodShape>(shape: Shape): Sealed<Shape> {
  const known = Object.keys(shape).join(", ");
  const error = ({ code }: { readonly code?: string }): string =>
    code === "unrecognized_keys" ? `Expected no fields other than ${known}` : "Expected an object";
  return z.readonly(z.strictObject(shape, { error }));
}

function oneOf<const Names extends readonly string[]>(
  ...names: Names
): z.ZodMiniLiteral<Names[number]> {
  return z.literal(names, `Expected ${names.join(", ").replace(/, (?=\w+$)/u, " or ")}`);
}

function list<Item extends z.core.SomeType>(
  item: Item,
  message: string,
): z.ZodMiniReadonly<z.ZodMiniArray<Item>> {
  return z.readonly(z.array(item, message));
}
