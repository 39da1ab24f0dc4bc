import type { JsonObject, JsonValue, ReasoningPart } from "@agent-history/core";
import { isJsonObject, nameOf, onlyAdds, wireDifference } from "@agent-history/format-kit";

/**
 * Reads a reasoning item: a part for each text of its summary and its content; the first carries what else the item
 * holds. An item that is sealed, without a text, or with more than text in its lists, is `data` as it came: a sealed thought is
 * longer than its summary, and counts what it holds.
 */
export function readReasoning(item: JsonObject): readonly ReasoningPart[] {
  const whole: ReasoningPart = { type: "reasoning", text: "", data: item, extra: { as: "block" } };
  if (nameOf(item["encrypted_content"]) !== undefined) return [whole];
  const texts = [...textsOf(item["summary"], {}), ...textsOf(item["content"], { as: "content" })];
  const parts = texts.map(({ text, extra }, index): ReasoningPart => {
    const marks = index === 0 ? extra : { ...extra, joins: true };
    return { type: "reasoning", text, ...(Object.keys(marks).length > 0 && { extra: marks }) };
  });
  const [first, ...others] = parts;
  if (first === undefined) return [whole];
  const usual = writeReasoning(parts);
  const difference = wireDifference(usual, item) ?? {};
  const { fields, inner } = difference;
  if (inner !== undefined || !onlyAdds(difference, usual)) return [whole];
  return [{ ...first, ...(fields !== undefined && { data: fields }) }, ...others];
}

interface ReasoningText {
  readonly text: string;
  readonly extra: JsonObject;
}

function textsOf(list: JsonValue | undefined, extra: JsonObject): readonly ReasoningText[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: JsonValue) =>
    isJsonObject(one) && typeof one["text"] === "string" ? [{ text: one["text"], extra }] : [],
  );
}

/** Writes a reasoning item. */
export function writeReasoning(parts: readonly ReasoningPart[]): JsonObject {
  const [first] = parts;
  const data = isJsonObject(first?.data) ? first.data : {};
  if (first?.extra?.["as"] === "block") return data;
  const ofContent = (part: ReasoningPart): boolean => part.extra?.["as"] === "content";
  const content = parts.filter(ofContent).map(({ text }) => ({ type: "reasoning_text", text }));
  const summary = parts
    .filter((part) => !ofContent(part))
    .map(({ text }) => ({ type: "summary_text", text }));
  return { type: "reasoning", summary, ...(content.length > 0 && { content }), ...data };
}
