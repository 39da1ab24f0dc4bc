import { isJsonObject, textOf, toJson } from "./json.ts";

/** A block of reasoning that a provider did not read, or let through though what stands before it has changed. */
export interface DroppedReasoning {
  /** Anthropic's path in the request (`messages.1.content.0`), or the id of OpenAI's item. */
  readonly place: string;
  /** In the provider's words, such as `prefix_binding_mismatch` or `model_mismatch`. */
  readonly reason: string;
  /** Whether the model read it all the same. */
  readonly isRead: boolean;
}

/**
 * Reads what a provider did with reasoning that was sent to it: `input_transformations` of a response of Anthropic's (with the beta header
 * `thinking-binding-controls-2026-08-01`) or of OpenAI's Responses API, `inputTransformations` of the AI SDK's `providerMetadata.anthropic`. Empty if it says nothing.
 *
 * @example
 * ```ts
 * import { droppedReasoning } from "@agent-history/format-kit";
 *
 * droppedReasoning({
 *   input_transformations: [
 *     { type: "thinking_dropped", path: "messages.1.content.0", reason: "model_binding_mismatch" },
 *   ],
 * });
 * // => [{ place: "messages.1.content.0", reason: "model_binding_mismatch", isRead: false }]
 * ```
 */
export function droppedReasoning(response: object): readonly DroppedReasoning[] {
  const given: unknown =
    Reflect.get(response, "input_transformations") ?? Reflect.get(response, "inputTransformations");
  const all = Array.isArray(given) ? toJson(given) : [];
  return (Array.isArray(all) ? all.filter(isJsonObject) : []).flatMap((one) => {
    const isOfReasoning = one["type"] === "reasoning" || textOf(one["type"])?.includes("thinking");
    if (isOfReasoning !== true) return [];
    return {
      place: textOf(one["path"] ?? one["id"]) ?? "",
      reason: textOf(one["reason"]) ?? "",
      isRead: one["type"] === "thinking_mismatch_allowed",
    };
  });
}
