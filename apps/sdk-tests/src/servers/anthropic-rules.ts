import type { JsonObject } from "@agent-history/core";

import { blocksOf, isThinking } from "./anthropic-request.ts";
import type { AnthropicRequest, AnthropicTurn } from "./anthropic-request.ts";
import {
  asks,
  assistant,
  call,
  calling,
  mark,
  pages,
  result,
  says,
  search,
  searched,
  sending,
  text,
  user,
} from "./anthropic-samples.ts";
import { hasOrphan, hasUnanswered } from "./paired-turns.ts";
import { areUnique, has, objectAt, objectsWith, textIn } from "./read-wire.ts";
import type { Rules } from "./wire.ts";

/** What Anthropic's Messages API refuses of the order of messages and blocks, and of what they hold together. */
export const anthropicRules: Rules<AnthropicRequest> = {
  "first-not-user": {
    source: pages.messages,
    answer: 'messages: first message must use the "user" role',
    refused: sending(says, asks),
    breaks: ({ turns: [first] }) =>
      first !== undefined && first.role !== "user" && !isCompaction(first.blocks[0]),
  },
  "last-not-user": {
    source: pages.errors,
    answer:
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    refused: sending(asks, says),
    // An answer that a server's tool paused is sent back as it is: handling-stop-reasons#pause-turn
    breaks: ({ turns }) => turns.at(-1)?.role === "assistant" && !serverCalls(turns).isPaused,
  },
  "unanswered-call": {
    source: "https://github.com/lidge-jun/opencodex/issues/620",
    answer:
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    refused: sending(asks, calling, asks),
    breaks: ({ turns }) => hasUnanswered(turns),
  },
  "orphan-result": {
    source: "https://github.com/langchain-ai/langchain/issues/33245",
    answer:
      "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    refused: sending(asks, says, user(result)),
    breaks: ({ turns }) => hasOrphan(turns),
  },
  "second-result": {
    source: pages.calls,
    answer:
      "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a",
    refused: sending(asks, calling, user(result, result)),
    breaks: ({ turns }) => turns.some(({ results }) => !areUnique(results)),
  },
  "results-not-first": {
    source: pages.calls,
    answer:
      "In the user message containing tool results, the tool_result blocks must come first in the content array. Any text must come after all tool results.",
    refused: sending(asks, calling, user(text, result)),
    breaks: ({ turns }) =>
      turns.some(({ blocks }) => {
        const firstOther = blocks.findIndex(({ type }) => type !== "tool_result");
        const lastResult = blocks.findLastIndex(({ type }) => type === "tool_result");
        return firstOther >= 0 && lastResult > firstOther;
      }),
  },
  "duplicate-call-id": {
    source: "https://github.com/trycua/cua/issues/524",
    answer: "messages.3.content.0: `tool_use` ids must be unique",
    refused: sending(asks, calling, user(result), calling, user(result)),
    breaks: ({ turns }) => !areUnique(turns.flatMap(({ calls }) => calls)),
  },
  "toolset-not-echoed": {
    source: pages.calls,
    answer: "Each result echoes the toolset_name of its tool_use.",
    refused: sending(asks, assistant({ ...call, toolset_name: "desk" }), user(result)),
    breaks: ({ turns }) =>
      turns.some(({ blocks }, index) =>
        blocks
          .filter(({ type }) => type === "tool_use")
          .some((made) =>
            (turns[index + 1]?.blocks ?? []).some(
              (block) =>
                block["tool_use_id"] === made["id"] &&
                (block["toolset_name"] ?? null) !== (made["toolset_name"] ?? null),
            ),
          ),
      ),
  },
  "unanswered-server-call": {
    source: pages.servers,
    answer:
      "messages.1: `web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block",
    refused: sending(asks, assistant(search), asks),
    breaks: ({ turns }) => serverCalls(turns).isInterrupted,
  },
  "orphan-server-result": {
    source: pages.servers,
    answer:
      "messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_1",
    refused: sending(asks, assistant(searched, text), asks),
    breaks: ({ turns }) => serverCalls(turns).isOrphaned,
  },
  "system-misplaced": {
    source: `${pages.docs}/build-with-claude/mid-conversation-system-messages`,
    answer:
      "A system message must directly follow a user message, or an assistant message that ends with a server tool result, and be last or precede an assistant message.",
    refused: sending(asks, says, { role: "system", content: "Be brief." }, asks),
    breaks: ({ messages }) => messages.some((_, index) => isSystemMisplaced(messages, index)),
  },
  "compaction-misplaced": {
    source: `${pages.docs}/build-with-claude/compaction-on-demand`,
    answer: "A signed compaction block must be the first content block of the conversation.",
    refused: {
      ...sending(asks, assistant({ type: "compaction", content: "So far.", signature: "s" }), asks),
      betas: ["compact-2026-09-04"],
    },
    breaks: ({ messages }) =>
      messages.some(({ blocks }, index) =>
        blocks.some(
          (block, at) => isCompaction(block) && has(block, "signature") && (index > 0 || at > 0),
        ),
      ),
  },
  "thinking-at-end": {
    source: "https://github.com/tailcallhq/forgecode/issues/2107",
    answer: "messages.1: The final block in an assistant message cannot be `thinking`.",
    refused: sending(asks, assistant(text, { type: "redacted_thinking", data: "E" }), asks),
    breaks: ({ messages }) => messages.some(({ blocks }) => isThinking(blocks.at(-1) ?? {})),
  },
  "too-many-breakpoints": {
    source: pages.caching,
    answer: "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    refused: sending(user(...Array.from({ length: 5 }, () => ({ ...text, ...mark })))),
    breaks: ({ body }) => marksOf(body).length > 4,
  },
  "breakpoint-ttl-order": {
    source: pages.caching,
    answer:
      "messages.0.content.1.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.",
    refused: sending(
      user({ ...text, ...mark }, { ...text, cache_control: { type: "ephemeral", ttl: "1h" } }),
    ),
    breaks: ({ body }) => {
      const ttls = marksOf(body).map((block) => objectAt(block, "cache_control")["ttl"]);
      const firstShort = ttls.findIndex((ttl) => ttl !== "1h");
      return firstShort >= 0 && ttls.lastIndexOf("1h") > firstShort;
    },
  },
  "citations-of-some": {
    source: `${pages.docs}/build-with-claude/citations`,
    answer: "Citations must be enabled on all or none of the documents within a request.",
    refused: sending(user(document(true), document(false))),
    breaks: (request) => {
      const enabled = blocksOf(request, "document").map(
        (block) => objectAt(block, "citations")["enabled"] === true,
      );
      return new Set(enabled).size > 1;
    },
  },
};

type Messages = AnthropicRequest["messages"];

function isCompaction(block: JsonObject | undefined): boolean {
  return block?.["type"] === "compaction" && textIn(block["content"]) !== "";
}

function isSystemMisplaced(messages: Messages, index: number): boolean {
  const [before, message, after] = [messages[index - 1], messages[index], messages[index + 1]];
  if (message?.role !== "system") return false;
  if (message.blocks.length === 0 && has(message.fields, "output_config")) return false;
  const endsWithServer = /^(server|mcp)_tool_use$|._tool_result$/u.test(
    textIn(before?.blocks.at(-1)?.["type"]),
  );
  const mayFollow = before?.role === "user" || (before?.role === "assistant" && endsWithServer);
  return !mayFollow || (after !== undefined && after.role !== "assistant");
}

function serverCalls(turns: readonly AnthropicTurn[]): {
  readonly isPaused: boolean;
  readonly isInterrupted: boolean;
  readonly isOrphaned: boolean;
} {
  const open = new Set<string>();
  let [isInterrupted, isOrphaned] = [false, false];
  for (const { role, blocks } of turns) {
    if (role === "user" && open.size > 0 && blocks.some(({ type }) => type !== "tool_result")) {
      isInterrupted = true;
      open.clear();
    }
    for (const block of blocks) {
      const type = textIn(block["type"]);
      if (type === "server_tool_use" || type === "mcp_tool_use") open.add(textIn(block["id"]));
      const isResult = type.endsWith("_tool_result");
      if (isResult && !open.delete(textIn(block["tool_use_id"]))) isOrphaned = true;
    }
  }
  return { isPaused: open.size > 0, isInterrupted, isOrphaned };
}

function marksOf({ tools, system, messages }: JsonObject): readonly JsonObject[] {
  return [tools, system, messages].flatMap((part) => objectsWith(part ?? [], "cache_control"));
}

function document(enabled: boolean): JsonObject {
  const source = { type: "text", media_type: "text/plain", data: "Two." };
  return { type: "document", source, citations: { enabled } };
}
