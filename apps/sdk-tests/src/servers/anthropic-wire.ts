import type { JsonObject } from "@agent-history/core";

import { readAnthropic } from "./anthropic-request.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";
import { anthropicRules } from "./anthropic-rules.ts";
import { asks, assistant, calling, sending, text } from "./anthropic-samples.ts";
import { anthropicShape } from "./anthropic-shape.ts";
import {
  BINDING_HEADER,
  COMPACTION_HEADER,
  judgeThinking,
  signSummary,
  signThinking,
} from "./anthropic-signatures.ts";
import type { AnthropicAccount } from "./anthropic-signatures.ts";
import type { JudgedThought } from "./bound-reasoning.ts";
import { objectAt } from "./read-wire.ts";
import { refusing } from "./wire.ts";
import type { Rules, Wire, WireReply } from "./wire.ts";

const page =
  "https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks";

/** A request, and the thinking for which it is refused. */
interface JudgedRequest extends AnthropicRequest {
  readonly refused: readonly JudgedThought[];
}

/** Questions that thinking answered, in an account of any age refused where the prefix is another. */
function bound(...thoughts: readonly (readonly JsonObject[])[]): JsonObject {
  return {
    ...sending(asks, ...thoughts.flatMap((blocks) => [assistant(...blocks, text), asks])),
    thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "error" } },
  };
}

function thoughtAfter(body: JsonObject): JsonObject {
  return { type: "thinking", thinking: "Two.", signature: signThinking("Two.", body) };
}

const first = thoughtAfter(sending(asks));
const second = thoughtAfter(bound([first]));
const third = thoughtAfter(bound([first], [second]));

const rules: Rules<JudgedRequest> = {
  ...anthropicRules,
  "thinking-bound": {
    source: page,
    answer:
      "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Content that preceded this block differs.",
    refused: bound([thoughtAfter(sending({ role: "user", content: "Which trains?" }))]),
    breaks: ({ refused: [thought] }) => thought !== undefined && thought.isGap !== true,
  },
  "thinking-gap": {
    source: page,
    answer:
      "messages.5.content.0: Invalid `signature` in `thinking` block. The thinking block that preceded this one is missing.",
    refused: bound([first], [], [third]),
    breaks: ({ refused: [thought] }) => thought?.isGap === true,
  },
  "compaction-without-header": {
    source: "https://platform.claude.com/docs/en/build-with-claude/compaction-on-demand",
    answer: "compaction: Extra inputs are not permitted",
    refused: { ...sending(asks), compaction: { type: "summarize" } },
    breaks: ({ body, messages }) =>
      (isCompaction(body) || messages.some(({ blocks }) => blocks.some(isSignedSummary))) &&
      !hasBeta(body, COMPACTION_HEADER),
  },
  "compaction-of-open-call": {
    source: "https://platform.claude.com/docs/en/build-with-claude/compaction-keep-recent-turns",
    answer: "compaction: the messages end in a tool call that has no result yet",
    refused: {
      ...sending(asks, calling),
      compaction: { type: "summarize" },
      betas: [COMPACTION_HEADER],
    },
    breaks: ({ body, messages }) =>
      isCompaction(body) &&
      messages.at(-1)?.blocks.some(({ type }) => type === "tool_use") === true,
  },
};

/** Whose requests are answered. */
export interface AnthropicWireOptions {
  /** Whether the account was created on or after 31 August 2026: then thinking that stands behind another prefix, or behind a gap in its chain, is refused. In an older account it is checked and reported. */
  readonly isBinding: boolean;
  /** Thinking of Sonnet 5.5 and Haiku 5.5 is valid in its own organization only. Default: one. */
  readonly organization?: string;
}

/** Anthropic's Messages API for an older account. It signs what its model thinks, and refuses thinking that it did not sign. */
export const anthropicWire: Wire = anthropicWireOf({ isBinding: false });

/** Makes the API for an account. `betas` of a body are those of the header `anthropic-beta`. */
export function anthropicWireOf({ isBinding, organization = "" }: AnthropicWireOptions): Wire {
  const account = { isNew: isBinding, organization };
  const thoughts = (body: JsonObject): readonly JudgedThought[] => judgeThinking(body, account);
  const { problems, ...others } = refusing<JudgedRequest>({
    ...anthropicShape,
    read: (body) => ({
      ...readAnthropic(body),
      refused: thoughts(body).filter(({ fate }) => fate === "refused"),
    }),
    rules,
  });
  return {
    ...others,
    path: "/v1/messages",
    windowPage: "https://platform.claude.com/docs/en/build-with-claude/context-windows",
    thoughts,
    problems: (body) =>
      problems(body).filter((rule) => !isCompaction(body) || !OF_REPLIES.has(rule)),
    write: (reply, id, body) => {
      const ending = reply.calls === undefined ? "end_turn" : "tool_use";
      return {
        id,
        type: "message",
        role: "assistant",
        model: body["model"] ?? "",
        content: isCompaction(body)
          ? [summaryOf(reply.text ?? "", body, account)]
          : blocksOf(reply, body, account),
        stop_reason: isCompaction(body) ? "compaction" : ending,
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
        ...(tellsOfDropped(body) && { input_transformations: transformationsOf(thoughts(body)) }),
      };
    },
    writeError: (message) => ({ type: "error", error: { type: "invalid_request_error", message } }),
  };
}

function tellsOfDropped(body: JsonObject): boolean {
  return hasBeta(body, BINDING_HEADER);
}

function hasBeta({ betas }: JsonObject, name: string): boolean {
  return Array.isArray(betas) && betas.includes(name);
}

function isCompaction(body: JsonObject): boolean {
  return objectAt(body, "compaction")["type"] === "summarize";
}

/** What a request for a reply alone may not do: a compaction may end with an answer. */
const OF_REPLIES = new Set(["last-not-user", "unanswered-call"]);

function isSignedSummary({ type, signature }: JsonObject): boolean {
  return type === "compaction" && typeof signature === "string";
}

function transformationsOf(thoughts: readonly JudgedThought[]): readonly JsonObject[] {
  return thoughts.flatMap(({ path, fate, reason }): readonly JsonObject[] => {
    if (reason === undefined) return [];
    const type = fate === "allowed" ? "thinking_mismatch_allowed" : "thinking_dropped";
    return [{ type, path, reason }];
  });
}

function summaryOf(content: string, body: JsonObject, account: AnthropicAccount): JsonObject {
  const signature = signSummary(content, body, account);
  return { type: "compaction", content, encrypted_content: null, signature };
}

function blocksOf(
  { thinking, text: said, calls = [] }: WireReply,
  body: JsonObject,
  account: AnthropicAccount,
): readonly JsonObject[] {
  return [
    ...(thinking === undefined
      ? []
      : [{ type: "thinking", thinking, signature: signThinking(thinking, body, account) }]),
    ...(said === undefined ? [] : [{ type: "text", text: said, citations: null }]),
    ...calls.map(({ id, name, arguments: given }): JsonObject => {
      return { type: "tool_use", id, name, input: JSON.parse(given) };
    }),
  ];
}
