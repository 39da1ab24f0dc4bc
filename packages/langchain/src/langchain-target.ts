import { anthropicRules } from "@agent-history/anthropic";
import type { HistoryEntry, JsonObject } from "@agent-history/core";
import {
  blankText,
  callIds,
  isJsonObject,
  knownMessages,
  leadingThoughts,
  mapEntries,
  objectArguments,
  pairedCalls,
  portableWeight,
  uniqueCalls,
  wellFormedText,
} from "@agent-history/format-kit";
import type { TargetFormat, WireRule } from "@agent-history/format-kit";
import { chatRules, responseRules } from "@agent-history/openai";

import { langChainFormat } from "./internal/langchain-format.ts";
import { foreignContent, isInvalid, KWARGS } from "./internal/langchain-parts.ts";

/** Whose API a model's class speaks. */
export type LangChainProvider = "anthropic" | "openai-chat" | "openai-responses";

/** What decides which rules hold. */
export interface LangChainRuleOptions {
  /** Whose API the model's class speaks. Default: what all of them refuse is repaired. */
  readonly provider?: LangChainProvider | undefined;
}

const MESSAGES = "https://docs.langchain.com/oss/javascript/langchain/messages";
const THINKING = "https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting";

/** Returns what is refused of messages, in the order in which it is repaired. */
export function langChainRules({ provider }: LangChainRuleOptions = {}): readonly WireRule[] {
  return [
    wellFormedText("https://github.com/anthropics/claude-code/issues/56064"),
    knownMessages(MESSAGES),
    validCalls,
    leadingThoughts(THINKING),
    ...rulesOf(provider),
  ];
}

function rulesOf(provider: LangChainProvider | undefined): readonly WireRule[] {
  switch (provider) {
    case "anthropic":
      return anthropicRules();
    case "openai-chat":
      return chatRules();
    case "openai-responses":
      return responseRules();
    case undefined:
      return [
        pairedCalls(MESSAGES),
        callIds({ source: MESSAGES, isTaken: (id) => /^[\w-]{1,64}$/.test(id) }),
        uniqueCalls(MESSAGES),
        blankText(MESSAGES, langChainFormat.name),
      ];
  }
}

/** Returns what LangChain's models take, and what an entry costs there: `fitForTarget` of `@agent-history/format-kit` fits for it. */
export function langChainTarget(options: LangChainRuleOptions = {}): TargetFormat {
  return {
    rules: langChainRules(options),
    weigh: portableWeight(langChainFormat.name, foreignContent),
  };
}

/**
 * LangChain sends a malformed call only as its raw copy, and only if no call beside it is valid: then its result would answer nothing. Where that is so, it is sent as a call with an object.
 */
const validCalls: WireRule = {
  name: "invalid-tool-call",
  source: "https://github.com/langchain-ai/langchainjs/pull/11490",
  remedy: "it becomes a call whose arguments hold what the model wrote, as `_raw`",
  repair: (entries) =>
    mapEntries(entries, (entry) => {
      if (entry.type !== "action" || !entry.toolCalls.some(isInvalid)) return entry;
      const isSent = entry.toolCalls.every((call) => isInvalid(call) && call.extra?.["raw"]);
      if (isSent) return entry;
      const { repair } = objectArguments(MESSAGES);
      const toolCalls = entry.toolCalls.map((call) => {
        const { extra: _, ...bare } = call;
        return isInvalid(call) ? bare : call;
      });
      const repaired = repair([withoutRawCalls({ ...entry, toolCalls })], {});
      return "repairs" in repaired ? repaired.entries : repaired;
    }),
};

/** Leaves out OpenAI's list of the calls, which says them as they were. */
function withoutRawCalls(entry: HistoryEntry): HistoryEntry {
  const { origin } = entry;
  const inner = origin?.extra?.["inner"];
  if (origin === undefined || !isJsonObject(inner)) return entry;
  const { [KWARGS]: kwargs, ...others } = inner;
  const fields = isJsonObject(kwargs) ? kwargs["fields"] : undefined;
  if (!isJsonObject(kwargs) || !isJsonObject(fields)) return entry;
  const { tool_calls: _, ...left } = fields;
  const extra: JsonObject = {
    ...origin.extra,
    inner: { ...others, [KWARGS]: { ...kwargs, fields: left } },
  };
  return { ...entry, origin: { ...origin, extra } };
}
