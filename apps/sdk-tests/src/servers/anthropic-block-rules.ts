import type { JsonObject } from "@agent-history/core";

import { blocksOf, isThinking } from "./anthropic-request.ts";
import type { AnthropicRequest } from "./anthropic-request.ts";
import {
  asks,
  assistant,
  call,
  calling,
  pages,
  image,
  mark,
  png,
  result,
  says,
  sending,
  text,
  tool,
  user,
} from "./anthropic-samples.ts";
import { isSigned } from "./anthropic-signatures.ts";
import {
  areUnique,
  has,
  hasHalfSurrogate,
  isObject,
  objectAt,
  objectsAt,
  objectsWith,
  pngSide,
  textIn,
} from "./read-wire.ts";
import type { Rules } from "./wire.ts";

/** The fields of a block by its type, as the types of the SDK name them. */
const BLOCKS: Readonly<Record<string, { readonly by: string; readonly fields: string }>> = {
  text: { by: "user assistant system", fields: "text citations cache_control" },
  image: { by: "user", fields: "source transformations cache_control" },
  document: { by: "user", fields: "source citations context title cache_control" },
  search_result: { by: "user", fields: "content source title citations cache_control" },
  container_upload: { by: "user assistant", fields: "file_id cache_control" },
  thinking: { by: "assistant", fields: "thinking signature" },
  redacted_thinking: { by: "assistant", fields: "data" },
  tool_use: { by: "assistant", fields: "id name input caller toolset_name cache_control" },
  tool_result: {
    by: "user",
    fields: "tool_use_id content is_error toolset_name cache_control",
  },
  server_tool_use: { by: "assistant", fields: "id name input caller cache_control" },
  mcp_tool_use: { by: "assistant", fields: "id name input server_name cache_control" },
  mcp_tool_result: { by: "assistant", fields: "tool_use_id content is_error cache_control" },
  compaction: {
    by: "user assistant",
    fields: "content encrypted_content signature tool_changes cache_control",
  },
  fallback: { by: "assistant", fields: "from to trigger" },
  mcp_tool_listing: { by: "user assistant system", fields: "mcp_server_name tools" },
  tool_addition: { by: "user system", fields: "tool cache_control" },
  tool_removal: { by: "user system", fields: "tool cache_control" },
  ...Object.fromEntries(
    [
      "web_search",
      "web_fetch",
      "advisor",
      "code_execution",
      "bash_code_execution",
      "text_editor_code_execution",
      "tool_search",
    ].map((name) => [
      `${name}_tool_result`,
      { by: "assistant", fields: "tool_use_id content caller cache_control" },
    ]),
  ),
};

/** What Anthropic's Messages API refuses of blocks, and of what stands beside the messages. */
export const anthropicBlockRules: Rules<AnthropicRequest> = {
  "odd-tool-name": {
    source: pages.tools,
    answer: "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'",
    refused: sending(asks, assistant({ ...call, name: "look up" }), user(result)),
    breaks: (request) =>
      [...blocksOf(request, "tool_use"), ...request.tools].some(
        ({ name, type }) => type !== "mcp_toolset" && !/^[a-zA-Z0-9_-]{1,64}$/u.test(textIn(name)),
      ),
  },
  "input-not-object": {
    source: "https://github.com/anthropics/claude-code/issues/6696",
    answer: "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
    refused: sending(asks, assistant({ ...call, input: "{" }), user(result)),
    breaks: (request) =>
      ["tool_use", "server_tool_use", "mcp_tool_use"]
        .flatMap((type) => blocksOf(request, type))
        .some(({ input }) => !isObject(input)),
  },
  "error-not-text": {
    source: pages.calls,
    answer: 'all content must be type "text" if is_error is true',
    refused: sending(asks, calling, user({ ...result, is_error: true, content: [image(png(1))] })),
    breaks: (request) =>
      blocksOf(request, "tool_result").some(
        (block) =>
          block["is_error"] === true &&
          objectsAt(block, "content").some(({ type }) => type !== "text"),
      ),
  },
  "thinking-without-signature": {
    source: "https://github.com/agentforce314/clawcodex/issues/862",
    answer: "messages.1.content.0.thinking.signature: Field required",
    refused: sending(asks, assistant({ type: "thinking", thinking: "Two fly." }, text), asks),
    breaks: (request) =>
      blocksOf(request, "thinking").some(({ signature }) => typeof signature !== "string"),
  },
  "thinking-modified": {
    source: pages.thinking,
    answer: "messages.1.content.0: Invalid `signature` in `thinking` block",
    refused: sending(
      asks,
      assistant({ type: "thinking", thinking: "Two fly.", signature: "none" }, text),
      asks,
    ),
    breaks: (request) =>
      blocksOf(request, "thinking").some(
        (block) => typeof block["signature"] === "string" && !isSigned(block),
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
  "unknown-block": {
    source: pages.api,
    answer:
      "messages.0.content.0: Input tag 'image_url' found using 'type' does not match any of the expected tags",
    refused: sending(user({ type: "image_url", image_url: { url: "https://example.com" } })),
    breaks: ({ messages }) =>
      messages.some(({ blocks }) => blocks.some(({ type }) => BLOCKS[textIn(type)] === undefined)),
  },
  "block-of-another-role": {
    source: pages.api,
    answer: "messages.1.content.0: `image` blocks are not permitted in `assistant` messages",
    refused: sending(asks, assistant(image(png(1)), text), asks),
    breaks: ({ messages }) =>
      messages.some(({ role, blocks }) =>
        blocks.some(({ type }) => isOfAnother(textIn(type), role)),
      ),
  },
  "unknown-field": {
    source: pages.api,
    answer: "messages.1.stop_reason: Extra inputs are not permitted",
    refused: sending(asks, { ...says, stop_reason: "end_turn" }, asks),
    breaks: ({ messages }) =>
      messages.some(
        ({ fields, blocks }) =>
          Object.keys(fields).some((key) => !MESSAGE_FIELDS.has(key)) ||
          blocks.some(hasUnknownField),
      ),
  },
  "too-many-breakpoints": {
    source: pages.caching,
    answer: "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    refused: sending(user(...Array.from({ length: 5 }, () => ({ ...text, ...mark })))),
    breaks: ({ body }) => marksOf(body).length > 4,
  },
  "breakpoint-on-thinking": {
    source: pages.caching,
    answer: "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
    refused: sending(
      asks,
      assistant({ type: "redacted_thinking", data: "E", ...mark }, text),
      asks,
    ),
    breaks: ({ body }) => marksOf(body).some(isThinking),
  },
  "breakpoint-in-result": {
    source: "https://github.com/langchain-ai/langchain/issues/34920",
    answer:
      "invalid_cache: cache_control is not supported at messages.2.content.0.content.0.cache_control",
    refused: sending(
      asks,
      assistant({ type: "tool_use", id: "toolu_1", name: "find", input: {} }),
      user({ type: "tool_result", tool_use_id: "toolu_1", content: [{ ...text, ...mark }] }),
    ),
    breaks: ({ body }) =>
      objectsWith(body["messages"] ?? [], "tool_use_id").some(
        ({ content }) => objectsWith(content ?? [], "cache_control").length > 0,
      ),
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
  "unknown-media": {
    source: pages.vision,
    answer:
      "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    refused: sending(user(image("AAAA", "image/bmp"))),
    breaks: ({ body }) =>
      sourcesOf(body, "image").some(
        ({ type, media_type: media }) =>
          type === "base64" && !/^image\/(jpeg|png|gif|webp)$/u.test(textIn(media)),
      ),
  },
  "too-many-images": {
    source: pages.vision,
    answer: "messages: Too many images and documents: 601 + 0 > 600",
    refused: sending(user(...Array.from({ length: 601 }, () => image(png(1))))),
    breaks: ({ body }) => sourcesOf(body, "image").length > 600,
  },
  "image-too-large": {
    source: pages.vision,
    answer:
      "messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
    refused: sending(user(image(png(8001)))),
    breaks: ({ body }) => sidesOf(body).some((side) => side > 8000),
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
  "half-surrogate": {
    source: "https://github.com/anthropics/claude-code/issues/56064",
    answer:
      "The request body is not valid JSON: no low surrogate in string: line 1 column 34 (char 33)",
    refused: sending({ role: "user", content: "So \ud83d." }),
    breaks: ({ body }) => hasHalfSurrogate(body),
  },
  "missing-max-tokens": {
    source: pages.api,
    answer: "max_tokens: Field required",
    refused: { model: "claude-opus-5-5", messages: [asks] },
    breaks: ({ body }) => !Number.isInteger(body["max_tokens"]),
  },
  "tool-without-schema": {
    source: pages.tools,
    answer: "tools.0.custom.input_schema.type: Field required",
    refused: { ...sending(asks), tools: [{ name: "look" }] },
    breaks: ({ tools }) =>
      tools.some(
        (one) =>
          (one["type"] ?? "custom") === "custom" && !has(objectAt(one, "input_schema"), "type"),
      ),
  },
  "duplicate-tool-name": {
    source: pages.tools,
    answer: "tools: Tool names must be unique.",
    refused: { ...sending(asks), tools: [tool, tool] },
    breaks: ({ tools }) =>
      !areUnique(tools.map(({ name, mcp_server_name: server }) => name ?? server)),
  },
};

const MESSAGE_FIELDS = new Set(["role", "content", "clear_at", "output_config"]);

function isOfAnother(type: string, role: string): boolean {
  const isKnown = ["user", "assistant", "system"].includes(role);
  return isKnown && BLOCKS[type]?.by.split(" ").includes(role) === false;
}

function hasUnknownField(block: JsonObject): boolean {
  const known = BLOCKS[textIn(block["type"])]?.fields.split(" ");
  const isMark = (key: string): boolean => isThinking(block) && key === "cache_control";
  return Object.keys(block).some(
    (key) => key !== "type" && known?.includes(key) === false && !isMark(key),
  );
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
