import type { JsonObject } from "@agent-history/core";

import { anthropicBlockRules } from "./anthropic-block-rules.ts";
import { blocksOf } from "./anthropic-request.ts";
import type { AnthropicRequest, AnthropicTurn } from "./anthropic-request.ts";
import {
  asks,
  assistant,
  call,
  calling,
  pages,
  result,
  says,
  search,
  sending,
  text,
  user,
} from "./anthropic-samples.ts";
import { areUnique, has, objectsAt, textIn } from "./read-wire.ts";
import type { Rules } from "./wire.ts";

/** What Anthropic's Messages API refuses: here of messages and their order, there of blocks and what stands beside messages. */
export const anthropicRules: Rules<AnthropicRequest> = {
  "no-message": {
    source: pages.api,
    answer: "messages: at least one message is required",
    refused: sending(),
    breaks: ({ messages }) => messages.length === 0,
  },
  "unknown-role": {
    source: pages.api,
    answer: 'messages: Unexpected role "critic". Allowed roles are "user" or "assistant"',
    refused: sending(asks, { role: "critic", content: "No." }, asks),
    breaks: ({ messages }) =>
      messages.some(({ role }) => !["user", "assistant", "system"].includes(role)),
  },
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
  "empty-content": {
    source: "https://github.com/aliasrobotics/cai/issues/182",
    answer:
      "messages.1: all messages must have non-empty content except for the optional final assistant message",
    refused: sending(asks, { role: "assistant", content: [] }, asks),
    breaks: ({ messages }) =>
      messages.some(
        ({ role, fields, blocks }) =>
          !(role === "system" && has(fields, "output_config")) &&
          (blocks.length === 0 || fields["content"] === ""),
      ),
  },
  "empty-text": {
    source: "https://github.com/anthropics/claude-code/issues/62396",
    answer: "messages: text content blocks must be non-empty",
    refused: sending(user({ type: "text", text: "" }, text)),
    breaks: ({ messages }) => texts(messages).some(({ text: said }) => textIn(said) === ""),
  },
  "blank-text": {
    source: "https://github.com/anthropics/claude-code/issues/59812",
    answer: "messages: text content blocks must contain non-whitespace text",
    refused: sending(asks, { role: "assistant", content: "\n" }, asks),
    breaks: ({ messages }) =>
      texts(messages).some(({ text: said }) => textIn(said) !== "" && textIn(said).trim() === ""),
  },
  "empty-system": {
    source: pages.errors,
    answer: "system: text content blocks must be non-empty",
    refused: { ...sending(asks), system: [{ type: "text", text: " " }] },
    breaks: ({ body }) =>
      objectsAt(body, "system").some(({ text: said }) => textIn(said).trim() === ""),
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
  "odd-call-id": {
    source: "https://github.com/maximhq/bifrost/issues/5097",
    answer: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    refused: sending(
      asks,
      assistant({ ...call, id: "a.1" }),
      user({ ...result, tool_use_id: "a.1" }),
    ),
    breaks: ({ turns }) =>
      turns.some(({ calls, results }) =>
        [...calls, ...results].some((id) => !/^[a-zA-Z0-9_-]+$/u.test(id)),
      ),
  },
  "odd-server-call-id": {
    source: "https://github.com/ding113/claude-code-hub/issues/470",
    answer:
      "messages.1.content.0.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
    refused: sending(
      asks,
      assistant({ ...search, id: "call_1" }, { ...searched(), tool_use_id: "call_1" }, text),
      asks,
    ),
    breaks: (request) =>
      blocksOf(request, "server_tool_use").some(
        ({ id }) => !/^srvtoolu_[a-zA-Z0-9_]+$/u.test(textIn(id)),
      ),
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
    refused: sending(asks, assistant(searched(), text), asks),
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
  ...anthropicBlockRules,
};

type Messages = AnthropicRequest["messages"];

function takesPrefill(model: string): boolean {
  const [, major, minor = "0"] = /claude-(?:[a-z]+-)?(\d)(?:-(\d{1,2}))?(?!\d)/u.exec(model) ?? [];
  return major !== undefined && Number(`${major}.${minor}`) <= 4.5;
}

function texts(messages: Messages): readonly JsonObject[] {
  return messages
    .filter(({ fields }) => fields["content"] !== "")
    .flatMap(({ blocks }) => [...blocks, ...blocks.flatMap((block) => objectsAt(block, "content"))])
    .filter(({ type }) => type === "text");
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

function searched(): JsonObject {
  return { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
}
