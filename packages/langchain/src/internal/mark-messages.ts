import type { HistoryEntry, JsonObject, JsonValue, ReductionPlan } from "@agent-history/core";
import { isJsonObject, marksIn, markStable, toJsonObject } from "@agent-history/format-kit";
import type { CacheMarks } from "@agent-history/format-kit";

import { classOf, messageFields, typeOf } from "./message-fields.ts";

/** Writes entries as messages with marks for Claude's prompt cache in their content: at most four, existing marks included. */
export function writeMarked(
  entries: readonly HistoryEntry[],
  plan: ReductionPlan,
  marks: Pick<CacheMarks, "write" | "beside">,
): readonly object[] {
  return markStable(entries, plan, {
    ...marks,
    mark: marked,
    isSystem: (message) => isOf(message, "system", "developer"),
  });
}

const MARK = { cache_control: { type: "ephemeral" } };

/** Returns a copy of a message with a mark on its last block. Returns `undefined` for an answer, because LangChain writes its calls after the content, and for an empty message. */
function marked(message: object, messages: readonly object[]): object | undefined {
  const fields = toJsonObject(messageFields(message));
  const blocks = blocksOf(fields["content"]);
  const last = blocks.at(-1);
  if (last === undefined || isOf(message, "ai", "assistant")) return undefined;
  if (!isOf(message, "tool")) {
    return copied(classOf(message), {
      ...fields,
      content: [...blocks.slice(0, -1), { ...last, ...MARK }],
    });
  }
  // The API refuses a mark inside a result, and LangChain does not write one on the result: https://github.com/langchain-ai/langchain/issues/34920
  const { tool_call_id: id } = fields;
  if (typeof id !== "string" || !blocks.every(({ type }) => type === "text")) return undefined;
  // Keep LangChain's order of fields, so that the prompt is the same with and without a mark.
  const said = { type: "tool_result", content: fields["content"] ?? "", tool_use_id: id };
  const human = messages.find((one) => isOf(one, "human", "user"));
  return copied(human && classOf(human), { type: "human", content: [{ ...said, ...MARK }] });
}

/** Returns a system message with a mark, unless it has one already or is empty. */
export function markedSystem<Message extends object>(message: Message): Message {
  const made = marksIn(message).length > 0 ? undefined : marked(message, []);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a marked message is of the same class
  return (made ?? message) as Message;
}

function copied(made: unknown, fields: JsonObject): object {
  if (typeof made !== "function") return fields;
  const { type: _, ...said } = fields;
  return Reflect.construct(made, [said]);
}

function blocksOf(content: JsonValue | undefined): readonly JsonObject[] {
  if (typeof content === "string")
    return content.trim() === "" ? [] : [{ type: "text", text: content }];
  const blocks = Array.isArray(content) ? content : [];
  return blocks.every(isJsonObject) ? blocks : [];
}

function isOf(message: object, ...types: readonly unknown[]): boolean {
  return types.includes(typeOf(message) ?? ("role" in message ? message.role : undefined));
}
