import { isJsonObject, textOf, toJson } from "./json.ts";

/** A reasoning block that a provider ignored, or accepted although the messages before it have changed. */
export interface DroppedReasoning {
  /** Anthropic's path in the request (`messages.1.content.0`), or the id of OpenAI's item. */
  readonly place: string;
  /** The provider's reason, e.g. `prefix_binding_mismatch` or `model_mismatch`. */
  readonly reason: string;
  /** Whether the model read it nevertheless. */
  readonly isRead: boolean;
}

/**
 * Returns what a provider did with the reasoning that it received: reads `input_transformations` of an Anthropic response (with the beta header
 * `thinking-binding-controls-2026-08-01`) or of OpenAI's Responses API, or `inputTransformations` of the AI SDK's `providerMetadata.anthropic`. Empty if the field is absent.
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
