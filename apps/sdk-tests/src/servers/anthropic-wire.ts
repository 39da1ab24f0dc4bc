import type { JsonObject } from "@agent-history/core";

import { readAnthropic } from "./anthropic-request.ts";
import { anthropicRules } from "./anthropic-rules.ts";
import { signThinking, unboundThinking } from "./anthropic-signatures.ts";
import { objectsAt } from "./read-wire.ts";
import { brokenRules } from "./wire.ts";
import type { Wire, WireReply, WireRule } from "./wire.ts";

const BINDING: WireRule = {
  source: "https://platform.claude.com/docs/en/build-with-claude/preserved-thinking",
  answer:
    "messages.1.content.0: Invalid `signature` in `thinking` block: the block is bound to a different conversation",
  refused: {},
};

/** Anthropic's Messages API. It signs what its model thinks, and refuses thinking that it did not sign. */
export const anthropicWire: Wire = anthropicWireOf({ isBinding: false });

/**
 * Makes the API for an account whose thinking is bound to what stands before it.
 *
 * @param options - With `isBinding`, thinking that stands behind another prefix, or behind a gap in its chain, is refused by the rule `thinking-bound`.
 */
export function anthropicWireOf({ isBinding }: { readonly isBinding: boolean }): Wire {
  return {
    path: "/v1/messages",
    rules: isBinding ? { ...anthropicRules, "thinking-bound": BINDING } : anthropicRules,
    windowPage: "https://platform.claude.com/docs/en/build-with-claude/context-windows",
    problems: (body) => [
      ...brokenRules(anthropicRules, readAnthropic(body)),
      ...(isBinding && unboundThinking(body).length > 0 ? ["thinking-bound"] : []),
    ],
    counted: (body) => [
      body["system"],
      ...objectsAt(body, "tools"),
      ...objectsAt(body, "messages"),
    ],
    write: (reply, id, body) => ({
      id,
      type: "message",
      role: "assistant",
      model: body["model"] ?? "",
      content: blocksOf(reply, body),
      stop_reason: reply.calls === undefined ? "end_turn" : "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
    writeError: (message) => ({ type: "error", error: { type: "invalid_request_error", message } }),
  };
}

function blocksOf(
  { thinking, text, calls = [] }: WireReply,
  body: JsonObject,
): readonly JsonObject[] {
  return [
    ...(thinking === undefined
      ? []
      : [{ type: "thinking", thinking, signature: signThinking(thinking, body) }]),
    ...(text === undefined ? [] : [{ type: "text", text, citations: null }]),
    ...calls.map(({ id, name, arguments: given }): JsonObject => {
      return { type: "tool_use", id, name, input: JSON.parse(given) };
    }),
  ];
}
