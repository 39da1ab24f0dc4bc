import type { Content, ContentPart, JsonObject, JsonValue } from "../src/index.ts";
import type { ObservationEntry, Outcome } from "../src/index.ts";
import { contradicts } from "./internal/contradicts.ts";
import type { EntryDraft } from "./internal/entry-draft.ts";
import type { ReadContext } from "./internal/message-format.ts";
import { readContent, readPart, writeContent, writePart } from "./internal/part-codec.ts";
import { plainText } from "./internal/plain-text.ts";
import { wireDifference } from "./internal/wire-difference.ts";
import { nameOf, textOf } from "./internal/wire-text.ts";
import { responsesInputParts } from "./responses-parts.ts";
import { readShellOutput, writeShellOutput } from "./responses-shell-output.ts";

/** What a result says. */
interface Said {
  readonly outcome: Outcome;
  readonly content: Content;
}

/** One kind of result: the field that names its call, and how its content is read and written. */
interface ResultKind {
  readonly idKey: string;
  readonly read: (item: JsonObject) => Said | undefined;
  readonly write: (said: Said) => JsonObject;
}

const plainOutput: ResultKind = {
  idKey: "call_id",
  read: ({ output }) => ({
    outcome: "success",
    content: readContent(output, responsesInputParts),
  }),
  write: ({ content }) => ({ output: writeContent(content, responsesInputParts, true) }),
};

const KINDS: ReadonlyMap<string, ResultKind> = new Map<string, ResultKind>([
  ["function_call_output", plainOutput],
  ["custom_tool_call_output", plainOutput],
  ["local_shell_call_output", { ...plainOutput, idKey: "id" }],
  [
    "computer_call_output",
    {
      idKey: "call_id",
      read: ({ output = null }) => ({
        outcome: "success",
        content: [readPart(output, responsesInputParts)],
      }),
      write: ({ content }) => ({ output: writeOnly(content) }),
    },
  ],
  [
    "shell_call_output",
    {
      idKey: "call_id",
      read: ({ output }) => (Array.isArray(output) ? readShellOutput(output) : undefined),
      write: ({ content }) => ({ output: writeShellOutput(content) }),
    },
  ],
  [
    "apply_patch_call_output",
    {
      idKey: "call_id",
      read: ({ output, status }) => ({
        outcome: status === "failed" ? "error" : "success",
        content: textOf(output) ?? "",
      }),
      write: ({ content }) => ({ output: plainText(content) }),
    },
  ],
  [
    "tool_search_output",
    {
      idKey: "call_id",
      read: ({ tools = [] }) => ({
        outcome: "success",
        content: [{ type: "opaque", data: tools }],
      }),
      write: ({ content }) => ({ tools: writeOnly(content) }),
    },
  ],
  [
    "mcp_approval_response",
    {
      idKey: "approval_request_id",
      read: ({ approve, reason }) => ({
        outcome: approve === true ? "success" : "denied",
        content: textOf(reason) ?? "",
      }),
      write: ({ outcome, content }) => ({
        approve: outcome !== "denied",
        ...(plainText(content) !== "" && { reason: plainText(content) }),
      }),
    },
  ],
]);

/** Tells the items that answer a call of the caller's. The provider answers its own search for tools. */
export function isResponsesResult({ type, call_id: callId }: JsonObject): boolean {
  if (type === "tool_search_output") return nameOf(callId) !== undefined;
  return typeof type === "string" && KINDS.has(type);
}

/** Reads the item that answers a call; `undefined` for any other item. */
export function readResponsesResult(
  item: JsonObject,
  { index, waiting }: ReadContext,
): EntryDraft | undefined {
  const type = textOf(item["type"]) ?? "";
  const kind = KINDS.get(type);
  const said = kind?.read(item);
  if (!isResponsesResult(item) || kind === undefined || said === undefined) return undefined;
  const id = nameOf(item[kind.idKey]);
  const call = waiting.answer(id ?? "");
  const callId = id ?? call?.id ?? `call_${index}`;
  const toolName = call?.name ?? nameOf(item["name"]) ?? "unknown_tool";
  const usual = { type, [kind.idKey]: callId, ...kind.write(said) };
  const difference = wireDifference(usual, item);
  if (difference !== undefined && contradicts(difference, usual)) return undefined;
  const extra = { ...(type !== "function_call_output" && { as: type }), ...difference };
  const says = { type: "observation", callId, toolName, ...said } as const;
  return Object.keys(extra).length > 0 ? { says, extra } : { says };
}

/** Writes the item that answers a call, but for what `origin.extra` holds; one of another format as a function's. */
export function writeResponsesResult(
  { callId, outcome, origin }: ObservationEntry,
  content: Content,
  isOwn: boolean,
): JsonObject {
  const type = (isOwn ? textOf(origin?.extra?.["as"]) : undefined) ?? "function_call_output";
  const kind = isOwn ? KINDS.get(type) : undefined;
  if (kind !== undefined) {
    return { type, [kind.idKey]: callId, ...kind.write({ outcome, content }) };
  }
  const output = writeContent(content, responsesInputParts, isOwn);
  return { type: "function_call_output", call_id: callId, output };
}

function writeOnly(content: Content): JsonValue {
  const [part]: readonly ContentPart[] = typeof content === "string" ? [] : content;
  return (part && writePart(part, responsesInputParts, true)) ?? null;
}
