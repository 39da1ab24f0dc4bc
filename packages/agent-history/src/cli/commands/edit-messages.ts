import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";

import { addCompactions, compressHistory } from "@agent-history/compression";
import type { CompressionResult } from "@agent-history/compression";
import { applyCompactions } from "@agent-history/core";
import type { ReductionPlan, Repair } from "@agent-history/core";
import { fitForTarget, repairFor, sendingWith, textOf } from "@agent-history/format-kit";
import { sinceCompaction } from "@agent-history/openai";
import { fitToWindow } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";

import { modelParts } from "../../for-model.ts";
import { invalidOption } from "../cli-context.ts";
import type { CliContext } from "../cli-context.ts";
import type { FileFormat } from "../messages/file-formats.ts";
import { messageCodecs, toolsIn } from "../messages/message-codecs.ts";
import { jsonFile, messageFileOf, writeMessages } from "../messages/message-files.ts";
import type { MessageOptions } from "../messages/message-files.ts";
import { tokensText } from "../number-text.ts";

export interface FitCommandOptions extends MessageOptions {
  readonly model?: string;
  readonly window?: number;
  readonly reserve?: number;
  readonly tools?: string;
  readonly plan?: string;
  readonly recall?: true;
}

/** Trims messages to the context window of `--model`, or of the model that the request names, and repairs what its API would refuse. */
export async function fitMessages(
  context: CliContext,
  path: string | undefined,
  options: FitCommandOptions,
): Promise<void> {
  const file = await messageFileOf(context, path, options);
  const { model = textOf(file.fields["model"]), window: contextTokens, reserve, plan } = options;
  if (model === undefined && contextTokens === undefined)
    throw invalidOption(
      "model",
      "The context window is unknown. Pass --model NAME or --window TOKENS.",
    );
  const given = contextTokens === undefined ? undefined : { contextTokens };
  const known = modelParts({ model, window: given, estimate: true });
  const tools = options.tools ? await jsonFile(context, options.tools) : file.fields["tools"];
  const asked = {
    counter: known.counter,
    window: { ...known.window, ...(reserve !== undefined && { outputReserveTokens: reserve }) },
    tools: toolsIn(file.format, tools),
    previousPlan: await previousPlanOf(context, plan),
    scorer: options.recall && lexicalScorer(),
  };
  const target = messageCodecs[file.format].target?.();
  const log = sinceCompaction(file.entries);
  const fitted = target
    ? fitForTarget(sendingWith(target, { tools }), log, asked, fitToWindow)
    : fitToWindow(log, asked);
  writeMessages(context, file, fitted.entries, {
    facts: options.json && { plan: fitted.plan },
    said: [...repairText(fitted.plan.repairs), fitText(fitted.plan)],
  });
  if (plan !== undefined) await writeFile(plan, JSON.stringify(fitted.plan));
}

/** Reads `--plan`, if an earlier call has written it. */
async function previousPlanOf(
  context: CliContext,
  path: string | undefined,
): Promise<ReductionPlan | undefined> {
  if (path === undefined || !existsSync(path)) return undefined;
  const plan: unknown = await jsonFile(context, path);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fit validates its input
  return plan as ReductionPlan;
}

const DONE = { keep: "kept", edit: "shortened", summarize: "summarized", drop: "dropped" };

function fitText({ decisions, totalTokens, window }: ReductionPlan): string {
  const counts = new Map<keyof typeof DONE, number>();
  for (const { action, entryCount } of decisions) {
    counts.set(action.kind, (counts.get(action.kind) ?? 0) + entryCount);
  }
  const done = [...counts].map(([kind, count]) => `${count} ${DONE[kind]}`).join(", ");
  const { contextTokens = Infinity, outputReserveTokens = 0, marginTokens = 0 } = window;
  return `Entries: ${done}. The prompt uses ${totalTokens} of ${contextTokens - outputReserveTokens - marginTokens} tokens.`;
}

function repairText(repairs: readonly Repair[]): readonly string[] {
  const rules = new Set(repairs.map(({ rule, kind }) => rule ?? kind));
  return rules.size === 0 ? [] : [`Repaired: ${[...rules].join(", ")}.`];
}

export interface ConvertCommandOptions extends MessageOptions {
  readonly to: FileFormat;
}

/** Converts messages to another format, and repairs what its API would refuse. */
export async function convertMessages(
  context: CliContext,
  path: string | undefined,
  { to, json, ...options }: ConvertCommandOptions,
): Promise<void> {
  const file = await messageFileOf(context, path, options);
  const target = to === file.format ? undefined : messageCodecs[to].target?.();
  const { entries, repairs } = target
    ? repairFor(target, file.entries)
    : { entries: file.entries, repairs: [] };
  const hasTools = file.fields["tools"] !== undefined && to !== file.format;
  writeMessages(context, file, entries, {
    to,
    facts: json && { from: file.format, entries: file.entries.length },
    said: [
      ...repairText(repairs),
      ...(hasTools ? ["The tools of the request were not converted."] : []),
    ],
  });
}

export interface CompressCommandOptions extends MessageOptions {
  readonly model?: string;
  readonly tail?: number;
  readonly max?: number;
}

/** Summarizes old messages without a model. */
export async function compressMessages(
  context: CliContext,
  path: string | undefined,
  options: CompressCommandOptions,
): Promise<void> {
  const file = await messageFileOf(context, path, options);
  const { model = textOf(file.fields["model"]), max: maxTokens, tail: tailTokens } = options;
  // Only relative sizes matter, so an estimate is enough if no model is named.
  const { counter } = modelParts({ model, window: { contextTokens: 1 } });
  const result = await compressHistory(file.entries, { counter, maxTokens, tailTokens });
  const compactions = result.outcome === "compressed" ? result.compactions : [];
  const log = addCompactions(file.entries, compactions);
  writeMessages(context, file, applyCompactions(log, "thread"), {
    facts: options.json && { outcome: result.outcome, compactions },
    said: [compressionText(result)],
  });
}

function compressionText(result: CompressionResult): string {
  if (result.outcome !== "compressed") return `Nothing was compressed: ${result.reason}`;
  const { compactions, shown, dropped } = result;
  const before = compactions.reduce((sum, { tokensBefore }) => sum + tokensBefore, 0);
  const after = compactions.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0);
  return `Replaced ${tokensText(before)} tokens with ${tokensText(after)}. The summary contains ${shown.length} of ${shown.length + dropped.length} parts.`;
}
