import * as z from "zod";

import { parseBy } from "../internal/parse-by.ts";
import { nonEmptyText, text } from "../internal/scalars.ts";
import { sealed } from "../internal/sealed.ts";
import { jsonObjectSchema } from "../json-schemas.ts";
import type { StoredFields } from "./stored-fields.ts";

const SECONDS = "Expected a finite number of seconds, 0 or more";
const CALLS = "Expected a list of one or more calls";
const KINDS = ["system_message", "user_message", "assistant_message", "action", "observation"];

const base = { id: nonEmptyText, at: z.number(SECONDS).min(0, SECONDS) };
const call = sealed({ id: nonEmptyText, name: nonEmptyText, args: jsonObjectSchema });

const version0Schema = z.discriminatedUnion(
  "kind",
  [
    sealed({
      ...base,
      kind: z.literal(["system_message", "user_message", "assistant_message"]),
      text,
    }),
    sealed({
      ...base,
      kind: z.literal("action"),
      text: text.exactOptional(),
      calls: z.array(call, CALLS).min(1, CALLS).readonly(),
    }),
    sealed({
      ...base,
      kind: z.literal("observation"),
      text,
      callId: nonEmptyText,
      tool: nonEmptyText,
      ok: z.boolean("Expected true or false"),
    }),
  ],
  `Expected one of ${KINDS.join(", ")}`,
);

/**
 * Upgrades the first form: `kind`, `text` and `at` in seconds, which became `type`, `content` and `createdAtMs`; the
 * arguments of a call as an object, which became their JSON text; `ok`, which became an outcome.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if the fields are not of that form.
 */
export function upgradeFromVersion0(fields: StoredFields): StoredFields {
  const { id, at, ...row } = parseBy(version0Schema, fields);
  const upgraded = { id, createdAtMs: Math.round(at * 1000), type: row.kind };
  switch (row.kind) {
    case "action":
      return {
        ...upgraded,
        ...(row.text === undefined ? {} : { content: row.text }),
        toolCalls: row.calls.map(({ args, ...named }) => ({
          ...named,
          arguments: JSON.stringify(args),
        })),
      };
    case "observation":
      return {
        ...upgraded,
        content: row.text,
        callId: row.callId,
        toolName: row.tool,
        outcome: row.ok ? "success" : "error",
      };
    case "system_message":
    case "user_message":
    case "assistant_message":
      return { ...upgraded, content: row.text };
  }
}
