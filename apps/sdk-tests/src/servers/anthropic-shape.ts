import * as z from "zod";

import { asks, assistant, call, calling, image, mark } from "./anthropic-samples.ts";
import { result, says, search, searched, sending, text, user } from "./anthropic-samples.ts";
import { isSigned } from "./anthropic-signatures.ts";
import { partsOrText } from "./wire.ts";
import type { Refused } from "./wire.ts";

const any = z.unknown().optional();
const words = z.string().regex(/\S/u);
const toolCallId = z.string().regex(/^[a-zA-Z0-9_-]+$/u);
const input = z.record(z.string(), z.unknown());

/** A block of a type with these fields; what is not said of one is anything. */
function block(type: string, fields: string, own: z.ZodRawShape = {}) {
  const others = Object.fromEntries(fields.split(" ").map((field) => [field, any]));
  return z.strictObject({ type: z.literal(type), ...others, ...own });
}

const said = block("text", "citations cache_control", { text: words });
const source = z.discriminatedUnion("type", [
  z.looseObject({
    type: z.literal("base64"),
    media_type: z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]),
    data: z.string(),
  }),
  z.looseObject({ type: z.enum(["url", "file"]) }),
]);
const picture = block("image", "transformations cache_control", { source });
const found = block("search_result", "source title citations cache_control", {
  content: z.array(said),
});
const file = block("document", "source citations context title cache_control");

// https://github.com/langchain-ai/langchain/issues/34920
const unmarked = { cache_control: z.undefined().optional() };
const inResult = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: words, ...unmarked }),
  z.looseObject({ type: z.literal("image"), source, ...unmarked }),
  z.looseObject({ type: z.enum(["search_result", "document", "tool_reference"]), ...unmarked }),
]);
const toolResult = z
  .strictObject({
    type: z.literal("tool_result"),
    tool_use_id: toolCallId,
    is_error: z.boolean().nullish(),
    content: z
      .preprocess((given) => (typeof given === "string" ? [] : given), z.array(inResult))
      .nullish(),
    toolset_name: any,
    cache_control: any,
  })
  .refine(
    ({ is_error: isError, content }) =>
      isError !== true || content?.every(({ type }) => type === "text") !== false,
    { path: ["content"] },
  );

const upload = block("container_upload", "file_id cache_control");
const listing = block("mcp_tool_listing", "mcp_server_name tools");
const compaction = block(
  "compaction",
  "content encrypted_content signature tool_changes cache_control",
);
const changes = [
  block("tool_addition", "tool cache_control"),
  block("tool_removal", "tool cache_control"),
] as const;
const serverResults = [
  ..."mcp web_search web_fetch advisor code_execution bash_code_execution".split(" "),
  ..."text_editor_code_execution tool_search".split(" "),
].map((name) => block(`${name}_tool_result`, "tool_use_id content is_error caller cache_control"));

const ofUser = z.discriminatedUnion("type", [
  said,
  picture,
  file,
  found,
  upload,
  compaction,
  listing,
  ...changes,
  toolResult,
]);
const ofAssistant = z.discriminatedUnion("type", [
  said,
  upload,
  compaction,
  listing,
  ...serverResults,
  block("thinking", "thinking", { signature: z.string() }).refine(isSigned, {
    path: ["signature", "valid"],
  }),
  block("redacted_thinking", "data"),
  block("tool_use", "caller toolset_name cache_control", {
    id: toolCallId,
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/u),
    input,
  }),
  block("server_tool_use", "name caller cache_control", {
    id: z.string().regex(/^srvtoolu_[a-zA-Z0-9_]+$/u),
    input,
  }),
  block("mcp_tool_use", "id name server_name cache_control", { input }),
  block("fallback", "from to trigger"),
]);
const ofSystem = z.discriminatedUnion("type", [said, listing, ...changes]);

const message = { clear_at: any, output_config: any };
const system = z.strictObject({
  role: z.literal("system"),
  content: partsOrText("text", ofSystem).or(z.tuple([])),
  ...message,
});

/** What Anthropic's Messages API refuses of the shape of a request. */
export const anthropicShape: Pick<Refused<never>, "reference" | "shape" | "misshapen"> = {
  reference: "https://platform.claude.com/docs/en/api/messages/create",
  shape: z.looseObject({
    system: z.union([z.string(), z.array(z.looseObject({ text: words }))]).optional(),
    messages: z
      .array(
        z.discriminatedUnion("role", [
          z.strictObject({
            role: z.literal("user"),
            content: partsOrText("text", ofUser),
            ...message,
          }),
          z.strictObject({
            role: z.literal("assistant"),
            content: partsOrText("text", ofAssistant),
            ...message,
          }),
          system.refine(({ content, output_config: config }) => content.length > 0 || config, {
            path: ["content"],
          }),
        ]),
      )
      .min(1),
  }),
  misshapen: {
    messages: sending(),
    "system.text": { ...sending(asks), system: [{ type: "text", text: " " }] },
    "messages.role": sending(asks, { role: "critic", content: "No." }, asks),
    // https://github.com/aliasrobotics/cai/issues/182
    "messages.content": sending(asks, { role: "assistant", content: [] }, asks),
    "messages.stop_reason": sending(asks, { ...says, stop_reason: "end_turn" }, asks),
    "messages.content.type": sending(asks, assistant(image(), text), asks),
    // https://github.com/anthropics/claude-code/issues/59812
    "messages.content.text": sending(asks, { role: "assistant", content: "\n" }, asks),
    // https://github.com/maximhq/bifrost/issues/5097
    "messages.content.tool_use_id": sending(
      asks,
      assistant({ ...call, id: "a.1" }),
      user({ ...result, tool_use_id: "a.1" }),
    ),
    // https://github.com/ding113/claude-code-hub/issues/470
    "messages.content.id": sending(
      asks,
      assistant({ ...search, id: "call_1" }, { ...searched, tool_use_id: "call_1" }, text),
      asks,
    ),
    "messages.content.name": sending(asks, assistant({ ...call, name: "look up" }), user(result)),
    // https://github.com/anthropics/claude-code/issues/6696
    "messages.content.input": sending(asks, assistant({ ...call, input: "{" }), user(result)),
    // https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
    "messages.content.content": sending(
      asks,
      calling,
      user({ ...result, is_error: true, content: [image()] }),
    ),
    "messages.content.content.cache_control": sending(
      asks,
      calling,
      user({ ...result, content: [{ ...text, ...mark }] }),
    ),
    // https://github.com/agentforce314/clawcodex/issues/862
    "messages.content.signature.valid": sending(
      asks,
      assistant({ type: "thinking", thinking: "Two fly.", signature: "none" }, text),
      asks,
    ),
    "messages.content.cache_control": sending(
      asks,
      assistant({ type: "redacted_thinking", data: "E", ...mark }, text),
      asks,
    ),
    "messages.content.source.media_type": sending(user(image("image/bmp"))),
  },
};
