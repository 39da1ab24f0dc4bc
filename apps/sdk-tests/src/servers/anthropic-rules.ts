import type { JsonObject } from "@agent-history/core";

import { blocksOf, isThinking } from "./anthropic-request.ts";
import type { AnthropicRequest, AnthropicTurn } from "./anthropic-request.ts";
import {
  asks,
  assistant,
  call,
  calling,
  image,
  mark,
  pages,
  png,
  result,
  says,
  search,
  searched,
  sending,
  text,
  user,
} from "./anthropic-samples.ts";
import { areUnique, has, objectAt, objectsWith, pngSide, textIn } from "./read-wire.ts";
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
    breaks: ({ model, turns }) =>
      turns.at(-1)?.role === "assistant" && !takesPrefill(model) && !serverCalls(turns).isPaused,
  },
  "trailing-whitespace": {
    source: "https://github.com/tailcallhq/forgecode/issues/1872",
    answer: "messages: final assistant content cannot end with trailing whitespace",
    refused: { ...sending(asks, { ...says, content: "Two. " }), model: "claude-sonnet-4-5" },
    breaks: ({ model, turns }) => {
      const last = turns.at(-1);
      const said = last?.role === "assistant" ? textIn(last.blocks.at(-1)?.["text"]) : "";
      return takesPrefill(model) && said.trim() !== "" && said.trimEnd() !== said;
    },
  },
  "unanswered-call": {
    source: "https://github.com/lidge-jun/opencodex/issues/620",
    answer:
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    refused: sending(asks, calling, asks),
    breaks: ({ turns }) =>
      turns.some(({ calls }, index) =>
        calls.some((id) => turns[index + 1]?.results.includes(id) !== true),
      ),
  },
  "orphan-result": {
    source: "https://github.com/langchain-ai/langchain/issues/33245",
    answer:
      "messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    refused: sending(asks, says, user(result)),
    breaks: ({ turns }) =>
      turns.some(({ results }, index) =>
        results.some((id) => turns[index - 1]?.calls.includes(id) !== true),
      ),
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
    breaks: ({ turns }) => serverCalls(turns).hasOrphan,
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
  "thinking-not-first": {
    source: `${pages.docs}/build-with-claude/thinking`,
    answer:
      "Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.",
    refused: {
      ...sending(asks, calling, user(result)),
      model: "claude-sonnet-4-5",
      thinking: { type: "enabled", budget_tokens: 1024 },
    },
    breaks: ({ body, turns }) => {
      const last = turns.at(-2);
      const isManual = objectAt(body, "thinking")["type"] === "enabled";
      return isManual && (last?.calls.length ?? 0) > 0 && !isThinking(last?.blocks[0] ?? {});
    },
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
  "too-many-images": {
    source: pages.vision,
    answer: "messages: Too many images and documents: 601 + 0 > 600",
    refused: sending(user(...Array.from({ length: 601 }, () => image(png(1))))),
    breaks: ({ body }) => sourcesOf(body, "image").length > 600,
  },
  "image-too-large-for-many": {
    source: pages.vision,
    answer:
      "messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
    refused: sending(user(...Array.from({ length: 21 }, () => image(png(2001))))),
    breaks: ({ body }) =>
      sourcesOf(body, "image").length > 20 && sidesOf(body).some((side) => side > 2000),
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

function takesPrefill(model: string): boolean {
  const [, major, minor = "0"] = /claude-(?:[a-z]+-)?(\d)(?:-(\d{1,2}))?(?!\d)/u.exec(model) ?? [];
  return major !== undefined && Number(`${major}.${minor}`) <= 4.5;
}

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
  readonly hasOrphan: boolean;
} {
  const open = new Set<string>();
  let [isInterrupted, hasOrphan] = [false, false];
  for (const { role, blocks } of turns) {
    if (role === "user" && open.size > 0 && blocks.some(({ type }) => type !== "tool_result")) {
      isInterrupted = true;
      open.clear();
    }
    for (const block of blocks) {
      const type = textIn(block["type"]);
      if (type === "server_tool_use" || type === "mcp_tool_use") open.add(textIn(block["id"]));
      const isResult = type.endsWith("_tool_result");
      if (isResult && !open.delete(textIn(block["tool_use_id"]))) hasOrphan = true;
    }
  }
  return { isPaused: open.size > 0, isInterrupted, hasOrphan };
}

function marksOf({ tools, system, messages }: JsonObject): readonly JsonObject[] {
  return [tools, system, messages].flatMap((part) => objectsWith(part ?? [], "cache_control"));
}

function sourcesOf(body: JsonObject, type: string): readonly JsonObject[] {
  const holders = objectsWith(body["messages"] ?? [], "source");
  return holders
    .filter((block) => block["type"] === type)
    .map((block) => objectAt(block, "source"));
}

function sidesOf(body: JsonObject): readonly number[] {
  return sourcesOf(body, "image").map(({ data }) => pngSide(textIn(data)));
}

function document(enabled: boolean): JsonObject {
  const source = { type: "text", media_type: "text/plain", data: "Two." };
  return { type: "document", source, citations: { enabled } };
}
