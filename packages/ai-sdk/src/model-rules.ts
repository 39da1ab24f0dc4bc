import { anthropicRules } from "@agent-history/anthropic";
import { groupExchanges } from "@agent-history/core";
import type { HistoryEntry, ToolCall } from "@agent-history/core";
import {
  combinedRules,
  commonRules,
  fieldsChanged,
  leadingThoughts,
  mapCalls,
  mapEntries,
  mapParts,
  portableWeight,
  statedIds,
} from "@agent-history/format-kit";
import type { FieldHolder, TargetFormat, WireRule } from "@agent-history/format-kit";
import { chatRules, responseRules } from "@agent-history/openai";

import { isProviderCall } from "./internal/model-parts.ts";
import { foreignContent, isRequest, itemIdIn, withoutItemIds } from "./internal/write-model.ts";
import { modelFormat } from "./model-messages.ts";

/** What decides which rules hold. */
export interface ModelRuleOptions {
  /** The `provider` of the model: `anthropic.messages`, `openai.responses`. Default: what all of them refuse is repaired. */
  readonly provider?: string | undefined;
}

const MESSAGES = "https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message";

/** Returns what is refused of model messages, in the order in which it is repaired. */
export function modelRules({ provider = "" }: ModelRuleOptions = {}): readonly WireRule[] {
  const ofProvider = rulesOf(provider);
  const ids = { source: MESSAGES, isTaken: (id: string) => /^[\w-]{0,64}$/.test(id) };
  const ofSdk = [
    interruptedCalls,
    uniqueItems,
    ...commonRules({
      source: MESSAGES,
      format: modelFormat.name,
      mayWait: isProviderCall,
      ...(ofProvider === undefined && { ids }),
    }),
    statedIds(MESSAGES, ["toolCallId"]),
    leadingThoughts(
      "https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting",
    ),
  ];
  return combinedRules(ofSdk, ofProvider);
}

function rulesOf(provider: string): readonly WireRule[] | undefined {
  if (provider.includes("anthropic")) return anthropicRules({}, modelFormat.name);
  if (provider.startsWith("mistral")) return chatRules({ host: "mistral" });
  if (provider.endsWith("responses")) return responseRules({}, undefined, modelFormat.name);
  return /^(?:openai|azure)\b.*chat$/u.test(provider) ? chatRules() : undefined;
}

/** Returns what the AI SDK and a provider take, and what an entry costs there: `fitForTarget` of `@agent-history/format-kit` fits for it. */
export function modelTarget(options: ModelRuleOptions = {}): TargetFormat {
  return {
    rules: modelRules(options),
    weigh: portableWeight(modelFormat.name, foreignContent),
  };
}

/** A call of the provider's that it never answered goes, unless the caller's tools are at work for it, and so does a request for an approval: the call that it is about says that it was not answered. */
const interruptedCalls: WireRule = {
  name: "interrupted-call",
  source: "https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons",
  remedy:
    "a call that the provider ran, or a request for an approval, that nobody answered is left out",
  repair: (entries) => {
    const isAsked = (call: ToolCall): boolean => isProviderCall(call) || isRequest(call);
    const hasAny = entries.some((one) => one.type === "action" && one.toolCalls.some(isAsked));
    if (!hasAny) return entries;
    const last = entries.at(-1);
    const lost = new Set(
      groupExchanges(entries).flatMap((group) =>
        group.kind === "exchange"
          ? group.unanswered.filter(
              (call) =>
                isRequest(call) ||
                (isProviderCall(call) && !(group.running && last?.type === "observation")),
            )
          : [],
      ),
    );
    return mapEntries(entries, (entry) => {
      const left = mapCalls(entry, (call) => (lost.has(call) ? [] : call));
      if (left.type !== "action" || left.toolCalls.length > 0) return left;
      const { toolCalls: _, content = "", ...rest } = left;
      return { ...rest, type: "assistant_message", content };
    });
  },
};

/** Returns the provider of a model that was made, not named. */
export function providerOf(model: unknown): string | undefined {
  const isMade = typeof model === "object" && model !== null && "provider" in model;
  return isMade && typeof model.provider === "string" ? model.provider : undefined;
}

/** No item of OpenAI's stands in two messages: of an answer that was stored twice, the thoughts go and the rest loses the id. */
const uniqueItems: WireRule = {
  name: "duplicate-item-id",
  source: "https://github.com/earendil-works/pi/issues/5151",
  remedy: "a second copy of reasoning is left out; another part of the same item loses its id",
  repair: (entries) => {
    const seen = new Set<string>();
    let ids: string[] = [];
    const collect = fieldsChanged((fields) => {
      const id = itemIdIn(fields);
      if (id !== undefined) ids.push(id);
      return fields;
    });
    return mapEntries(entries, (entry) => {
      const isAnswer = entry.type === "action" || entry.type === "assistant_message";
      if (!isAnswer || entry.origin?.format !== modelFormat.name) return entry;
      ids = [];
      collect(entry);
      const single = ids.some((id) => seen.has(id)) ? withoutItems(entry, seen) : entry;
      for (const id of ids) seen.add(id);
      return single;
    });
  },
};

function withoutItems(entry: HistoryEntry, seen: ReadonlySet<string>): HistoryEntry {
  const copies = new Set<FieldHolder>();
  const collect = fieldsChanged((fields, of) => {
    const isSeen = seen.has(itemIdIn(fields) ?? "");
    if (isSeen && "type" in of && of.type === "reasoning") copies.add(of);
    return fields;
  });
  collect(entry);
  const left = mapParts(entry, (part) => (copies.has(part) ? [] : part));
  return withoutItemIds(left, (id) => seen.has(id));
}
