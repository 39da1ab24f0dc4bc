import { messageRole } from "@agent-history/core";
import type { HistoryEntry, JsonObject, Viewer } from "@agent-history/core";
import { withoutReasoning } from "@agent-history/core/kit";

import { mapExtra } from "./field-rules.ts";
import type { TargetFormat } from "./fit-for-target.ts";
import { isJsonObject } from "./json.ts";
import { mapEntries } from "./wire-rules.ts";
import type { WireRule } from "./wire-rules.ts";

/** The model and account that read an answer; signatures and encrypted reasoning are valid only for them. */
export interface AnswerReader {
  /** The provider's name of the model. Default: unknown; reasoning of every model is sent. */
  readonly model?: string | undefined;
  /** The account at the provider, under any name you choose. Default: a single account. */
  readonly organization?: string | undefined;
}

/**
 * Records on answers which model wrote them, and the account if you use several. A fit for another model or account then leaves out what it may not send.
 *
 * @example
 * ```ts
 * import { assistantMessage } from "@agent-history/core";
 * import { writtenBy } from "@agent-history/format-kit";
 *
 * const origin = { format: "anthropic", message: "m1", index: 0 };
 * const [entry] = writtenBy([assistantMessage({ content: "Hi.", origin })], { model: "claude-opus-5-5" });
 * entry?.origin?.model;
 * // => "claude-opus-5-5"
 * ```
 */
export function writtenBy(
  entries: readonly HistoryEntry[],
  { model, organization }: AnswerReader,
): readonly HistoryEntry[] {
  return mapEntries(entries, (entry) => {
    if (entry.origin === undefined || !isAnswer(entry)) return entry;
    const by = {
      ...(model !== undefined && { model }),
      ...(organization !== undefined && { organization }),
    };
    return { ...entry, origin: { ...entry.origin, ...by } };
  });
}

/**
 * Returns a target for one reader, by the recorded origin of answers (`model` and `organization`, or the `model` of the message): answers of another account are written as if they came from another
 * format; answers of another model lose their reasoning and signatures, except in a running exchange whose provider requires reasoning (`needsReasoning`).
 */
export function forReader(target: TargetFormat, reader: AnswerReader): TargetFormat {
  if (reader.model === undefined && reader.organization === undefined) return target;
  const rule: WireRule = {
    name: "other-reader",
    source: "https://platform.claude.com/docs/en/build-with-claude/preserved-thinking",
    remedy: "removes reasoning and signatures made for another model or account",
    repair: (entries, viewer) => {
      const running = target.needsReasoning ? runningFrom(entries, viewer) : Infinity;
      return mapEntries(entries, (entry, index) => {
        if (!isAnswer(entry) || entry.origin === undefined) return entry;
        const by = authorOf(entry);
        if (differ(by.organization, reader.organization)) {
          const { origin: _, ...said } = mapExtra(withoutReasoning(entry), () => ({}));
          return said;
        }
        const isForeign = differ(bareName(by.model), bareName(reader.model));
        return isForeign && index < running ? mapExtra(withoutReasoning(entry), unsigned) : entry;
      });
    },
  };
  return { ...target, rules: [rule, ...target.rules] };
}

/** Removes reasoning except in the running exchange, where the provider may require it. */
export function finishedReasoning(source: string, format: string): WireRule {
  return {
    name: "finished-reasoning",
    source,
    remedy: "removes the reasoning of finished exchanges, as requested",
    repair: (entries, viewer) => {
      const running = runningFrom(entries, viewer);
      return mapEntries(entries, (entry, index) =>
        index < running && entry.origin?.format === format ? withoutReasoning(entry) : entry,
      );
    },
  };
}

function isAnswer({ type }: HistoryEntry): boolean {
  return type === "action" || type === "assistant_message";
}

/** Returns the recorded author of an answer. */
function authorOf({ origin }: HistoryEntry): AnswerReader {
  const said = origin?.extra?.["model"];
  const model = origin?.model ?? (typeof said === "string" ? said : undefined);
  return { model, organization: origin?.organization };
}

function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

/** Returns a model's name without provider and date. */
function bareName(model: string | undefined): string | undefined {
  return model?.replace(/^.*\//, "").replace(/-\d{4}-?\d{2}-?\d{2}$/, "");
}

/** Returns the index of the request that the running exchange answers; `Infinity` if the last entry is not a result. */
function runningFrom(entries: readonly HistoryEntry[], viewer: Viewer): number {
  if (entries.at(-1)?.type !== "observation") return Infinity;
  return entries.findLastIndex(
    (entry) => entry.type !== "observation" && messageRole(entry, viewer) === "user",
  );
}

const SIGNATURES = new Set([
  "thoughtSignature",
  "thought_signature",
  "reasoning_details",
  "thinking_blocks",
]);

function unsigned(value: JsonObject): JsonObject {
  const kept = Object.entries(value).filter(([name]) => !SIGNATURES.has(name));
  return Object.fromEntries(
    kept.map(([name, one]) => [name, isJsonObject(one) ? unsigned(one) : one]),
  );
}
