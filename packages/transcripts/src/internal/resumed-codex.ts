import type { JsonObject } from "@agent-history/core";
import { isJsonObject, repairFor } from "@agent-history/format-kit";
import { fromResponseItems, responseTarget, toResponseItems } from "@agent-history/openai";

import type { HeldPart, ResumedTool, SessionLine } from "./resumed-tool.ts";

/**
 * How Codex CLI resumes a rollout, from its source (`codex-rs/core`, rollout reconstruction, of June 2026): it sends the newest `replacement_history` and every later `response_item`. It skips lines that it cannot
 * parse, but appends to the last one. A result without a call, and a call of a custom tool without a result, end the session.
 */
export const resumedCodex: ResumedTool = {
  keyOf: ({ object, text }) => (object["type"] === "response_item" ? text : undefined),
  sent: (lines) => {
    const from = lines.findLastIndex(({ object }) => replacementOf(object) !== undefined);
    return lines.slice(Math.max(0, from)).flatMap(partsOf);
  },
  repair: (parts) => {
    const items = [...parts.map(({ value }) => value), NEXT_REQUEST];
    const { entries } = repairFor(TARGET, fromResponseItems(items));
    const taken: unknown = toResponseItems(entries).slice(0, -1);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was created from JSON
    return (taken as readonly JsonObject[]).map((value) => ({ role: "", value }));
  },
  withParts: (line, parts) => {
    const payload = isJsonObject(line["payload"]) ? line["payload"] : {};
    return line["type"] === "compacted"
      ? { ...line, payload: { ...payload, replacement_history: parts } }
      : { ...line, payload: parts[0] ?? {} };
  },
  newLine: ({ value }, { timestamp }) => ({
    ...(timestamp !== undefined && { timestamp }),
    type: "response_item",
    payload: value,
  }),
};

/** The user's next request: after it, a missing result is a fault. */
const NEXT_REQUEST = {
  type: "message",
  role: "user",
  content: [{ type: "input_text", text: "." }],
};

/** The rules for faults that Codex would send. It leaves out fields and items of other providers itself. */
const RULES = new Set([
  "well-formed-text",
  "missing-call-id",
  "pairing",
  "duplicate-call-id",
  "blank-text",
]);
const TARGET = { rules: responseTarget().rules.filter(({ name }) => RULES.has(name)) };

function replacementOf({ type, payload }: JsonObject): readonly JsonObject[] | undefined {
  const items =
    type === "compacted" && isJsonObject(payload) ? payload["replacement_history"] : undefined;
  return Array.isArray(items) ? items.filter(isJsonObject) : undefined;
}

function partsOf(line: SessionLine): readonly HeldPart[] {
  const { type, payload } = line.object;
  const items =
    type === "response_item" && isJsonObject(payload) ? [payload] : replacementOf(line.object);
  return (items ?? []).map((value) => ({ role: "", value, line }));
}
