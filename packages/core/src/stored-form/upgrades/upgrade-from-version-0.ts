import type { JsonObject } from "../../json.ts";
import { refuse } from "../checks/check.ts";
import type { Check } from "../checks/check.ts";
import { jsonObjectCheck } from "../checks/json-checks.ts";
import { listCheck } from "../checks/list-checks.ts";
import { kindsCheck, optionalField, sealedCheck } from "../checks/object-checks.ts";
import { parseBy } from "../checks/parse-by.ts";
import {
  booleanCheck,
  literalCheck,
  nonEmptyTextCheck,
  textCheck,
} from "../checks/scalar-checks.ts";
import type { StoredFields } from "./stored-fields.ts";

/** What every entry of the first form had. */
interface Base0<Kind extends string> {
  readonly id: string;
  /** In seconds. */
  readonly at: number;
  readonly kind: Kind;
}

interface Message0<Kind extends string> extends Base0<Kind> {
  readonly text: string;
}

interface Action0 extends Base0<"action"> {
  readonly text?: string;
  readonly calls: readonly Call0[];
}

interface Call0 {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
}

interface Observation0 extends Message0<"observation"> {
  readonly callId: string;
  readonly tool: string;
  readonly ok: boolean;
}

type Entry0 =
  | Message0<"system_message">
  | Message0<"user_message">
  | Message0<"assistant_message">
  | Action0
  | Observation0;

const secondsCheck: Check<number> = (value, refusal) =>
  typeof value === "number" && value >= 0 && value < Infinity
    ? value
    : refuse(refusal, "Expected a finite number of seconds, 0 or more", value);

const base = { id: nonEmptyTextCheck, at: secondsCheck };

function messageCheck<const Kind extends string>(kind: Kind): Check<Message0<Kind>> {
  return sealedCheck<Message0<Kind>>({ ...base, kind: literalCheck(kind), text: textCheck });
}

const callCheck = sealedCheck<Call0>({
  id: nonEmptyTextCheck,
  name: nonEmptyTextCheck,
  args: jsonObjectCheck,
});

const KINDS = {
  system_message: messageCheck("system_message"),
  user_message: messageCheck("user_message"),
  assistant_message: messageCheck("assistant_message"),
  action: sealedCheck<Action0>({
    ...base,
    kind: literalCheck("action"),
    text: optionalField(textCheck),
    calls: listCheck(callCheck, { least: 1, message: "Expected a list of one or more calls" }),
  }),
  observation: sealedCheck<Observation0>({
    ...base,
    kind: literalCheck("observation"),
    text: textCheck,
    callId: nonEmptyTextCheck,
    tool: nonEmptyTextCheck,
    ok: booleanCheck,
  }),
};

const version0Check = kindsCheck<Entry0, "kind">("kind", KINDS, {
  object: `Expected one of ${Object.keys(KINDS).join(", ")}`,
});

/**
 * Upgrades the first form: `kind`, `text` and `at` in seconds, which became `type`, `content` and `createdAtMs`; the
 * arguments of a call as an object, which became their JSON text; `ok`, which became an outcome.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if the fields are not of that form.
 */
export function upgradeFromVersion0(fields: StoredFields): StoredFields {
  const { id, at, ...row } = parseBy(version0Check, fields);
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
