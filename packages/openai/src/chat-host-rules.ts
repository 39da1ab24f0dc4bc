import { isRendered, messageRole } from "@agent-history/core";
import type { ContentPart, HistoryEntry, MessageRole, ToolCall } from "@agent-history/core";
import {
  beginsWithUser,
  cameWith,
  endsWithUser,
  GO_ON,
  mapEntries,
  objectOf,
  ofFormat,
  partsOf,
  plainText,
  portableContent,
  textOf,
  withoutKeys,
} from "@agent-history/format-kit";
import type { WireRule } from "@agent-history/format-kit";

import { CHAT_FORMAT } from "./internal/chat-parts.ts";
import { SIGNED_FIELDS } from "./internal/read-chat.ts";
import type { OpenAIHost } from "./openai-rules.ts";

export const MISTRAL =
  "https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py";

const GEMINI = "https://ai.google.dev/gemini-api/docs/thought-signatures";

export function isForeign({ origin }: HistoryEntry): boolean {
  return origin?.format !== CHAT_FORMAT;
}

export function hostRules(host: OpenAIHost): readonly WireRule[] {
  switch (host) {
    case "mistral":
      return [
        beginsWithUser(MISTRAL),
        endsWithUser(MISTRAL),
        between(MISTRAL, (before, { role }) => {
          if (role === "user") return before.role === "tool" ? ["assistant"] : [];
          if (role !== "system" || before.role === "user") return [];
          return before.role === "tool" ? ["assistant", "user"] : ["user"];
        }),
      ];
    case "deepseek":
      return [oneText, thoughtsOfAll];
    case "gemini":
      return [
        beginsWithUser(GEMINI),
        endsWithUser(GEMINI),
        signedCalls,
        namedResults,
        between("https://github.com/google-gemini/gemini-cli/issues/26486", (before, { entry }) =>
          entry.type === "action" && before.role === "assistant" ? ["user"] : [],
        ),
      ];
    case "openrouter":
      return [
        between(
          "https://openrouter.ai/docs/guides/best-practices/reasoning-tokens",
          (before, now) => {
            const areAnswers = before.role === "assistant" && now.role === "assistant";
            return areAnswers && (isSigned(before.entry) || isSigned(now.entry)) ? ["user"] : [];
          },
        ),
      ];
    case "openai":
    case "compatible":
    case "groq":
    case "vllm":
      return [];
  }
}

/** Content is text, and only of users a list of parts: https://github.com/rikkahub/rikkahub/issues/1433 */
const oneText: WireRule = {
  name: "content-text",
  source: "https://github.com/QwenLM/qwen-code/issues/2158",
  remedy: "joins the texts of a message",
  entry: (entry) => {
    const { content } = entry;
    const isList = typeof content === "object" && entry.type !== "user_message";
    // Opaque parts become text first.
    if (!isList || content.some(({ type }) => type === "opaque")) return entry;
    const own = content.filter(({ extra }) => extra?.["field"] === undefined);
    const others = content.filter(({ extra }) => extra?.["field"] !== undefined);
    const isOne = own.length === 1 && own[0]?.extra?.["as"] === "content";
    if (own.length === 0 || isOne) return entry;
    const text = plainText(own);
    const said = [...others, { type: "text", text, extra: { as: "content" } } as const];
    return { ...entry, content: others.length === 0 ? text : said };
  },
};

/** DeepSeek requires the reasoning of every answer if the request has tools. */
const thoughtsOfAll: WireRule = {
  name: "missing-reasoning",
  source: "https://github.com/QwenLM/qwen-code/issues/3658",
  remedy: "adds an empty `reasoning_content` to an answer whose reasoning is lost",
  entry: (entry) => {
    if (entry.type !== "assistant_message" && entry.type !== "action") return entry;
    const own = asChat(entry);
    const { content = [] } = own;
    const parts: readonly ContentPart[] =
      typeof content === "string"
        ? [{ type: "text", text: content, extra: { as: "content" } }]
        : content;
    const field = "reasoning_content";
    if (parts.some(({ extra }) => extra?.["field"] === field)) return entry;
    const thought = { type: "reasoning", text: "", extra: { field } } as const;
    // A carried `reasoning_content: null` would be written instead.
    const carried = withoutKeys(own.origin?.extra ?? {}, [field]);
    return ofFormat({ ...own, content: [thought, ...parts] }, CHAT_FORMAT, carried);
  },
};

/** Gemini requires the signature of each answer's first call, or the placeholder for a lost one. */
const signedCalls: WireRule = {
  name: "thought-signature",
  source: GEMINI,
  remedy: "replaces a lost signature with the documented `skip_thought_signature_validator`",
  entry: (entry) => {
    if (entry.type !== "action") return entry;
    const own = asChat(entry);
    const [first, ...others] = own.toolCalls;
    if (first === undefined || hasSignature(first)) return entry;
    const google = { thought_signature: "skip_thought_signature_validator" };
    const fields = { ...objectOf(first.extra?.["fields"]), extra_content: { google } };
    return { ...own, toolCalls: [{ ...first, extra: { ...first.extra, fields } }, ...others] };
  },
};

function hasSignature(call: ToolCall): boolean {
  const google = objectOf(objectOf(cameWith(call, "extra_content"))["google"]);
  return (textOf(google["thought_signature"]) ?? "") !== "";
}

/** Returns an entry of another format as a chat entry, without data that only its own format understands. */
function asChat<Entry extends HistoryEntry>(entry: Entry): Entry {
  if (!isForeign(entry)) return entry;
  const { content } = entry;
  const said = content === undefined ? {} : { content: portableContent(content, () => false) };
  const calls = entry.type === "action" ? entry.toolCalls : [];
  const toolCalls = calls.map(({ extra: _, ...call }) => call);
  const own = ofFormat(entry, CHAT_FORMAT, {});
  return { ...own, ...said, ...(entry.type === "action" && { toolCalls }) };
}

/** A result names its function. */
const namedResults: WireRule = {
  name: "result-name",
  source: "https://github.com/NousResearch/hermes-agent/issues/16478",
  remedy: "adds the name of the function to its result",
  result: (result) => {
    const own = asChat(result);
    const { extra } = own.origin ?? {};
    return extra?.["as"] === "named"
      ? result
      : ofFormat(own, CHAT_FORMAT, { ...extra, as: "named" });
  },
};

interface Turn {
  readonly entry: HistoryEntry;
  readonly role: MessageRole;
}

/** Adds the messages that are missing between two others, in which a system message does not count. */
function between(
  source: string,
  missing: (before: Turn, now: Turn) => readonly ("assistant" | "user")[],
): WireRule {
  return {
    name: "message-order",
    source,
    remedy:
      "adds a message between them, which asks to continue or says that results were received",
    repair: (entries, viewer) => {
      let before: Turn | undefined;
      return mapEntries(entries, (entry) => {
        if (!isRendered(entry)) return entry;
        const now = { entry, role: messageRole(entry, viewer) };
        const added = (before === undefined ? [] : missing(before, now)).map((role) =>
          addedMessage(role, entry),
        );
        const last = added.at(-1);
        if (now.role !== "system") before = now;
        else if (last !== undefined) before = { entry: last, role: "user" };
        return last === undefined ? entry : [...added, entry];
      });
    },
  };
}

function addedMessage(role: "assistant" | "user", { id, createdAtMs }: HistoryEntry): HistoryEntry {
  const base = { id: `${id}/${role}`, createdAtMs };
  return role === "assistant"
    ? { ...base, type: "assistant_message", content: "(The results were received.)" }
    : { ...base, type: "global_observation", content: GO_ON };
}

/** Returns whether an answer has signed reasoning. */
function isSigned({ content }: HistoryEntry): boolean {
  const fields: readonly unknown[] = SIGNED_FIELDS;
  return partsOf(content).some(({ extra }) => fields.includes(extra?.["field"]));
}
