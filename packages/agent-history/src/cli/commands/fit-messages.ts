import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";

import type { ReductionPlan, ToolDefinition } from "@agent-history/core";
import { textOf } from "@agent-history/format-kit";
import { sinceCompaction } from "@agent-history/openai";
import { fitToWindow } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";

import { modelParts, windowOfModel } from "../../for-model.ts";
import { invalidOption } from "../cli-context.ts";
import type { CliContext } from "../cli-context.ts";
import { messageCodecs } from "../messages/message-codecs.ts";
import { jsonFile, messageFileOf, writeMessages } from "../messages/message-files.ts";
import type { MessageOptions } from "../messages/message-files.ts";
import type { MessageFile } from "../messages/read-messages.ts";

export interface FitCommandOptions extends MessageOptions {
  readonly model?: string;
  readonly window?: number;
  readonly reserve?: number;
  readonly estimate?: true;
  readonly tools?: string;
  readonly plan?: string;
  readonly recall?: true;
}

/** Trims messages to the context window of a model. */
export async function fitMessages(
  context: CliContext,
  path: string | undefined,
  options: FitCommandOptions,
): Promise<void> {
  const file = await messageFileOf(context, path, options);
  const to = options.to;
  const { window, counter } = windowOf(file, options);
  const tools = await toolsOf(context, file, options);
  const previousPlan = await previousPlanOf(context, options);
  const { entries, plan } = fitToWindow(sinceCompaction(file.entries), {
    window,
    counter,
    ...(tools && { tools }),
    ...(previousPlan && { previousPlan }),
    ...(options.recall && { scorer: lexicalScorer() }),
  });
  context.write(writeMessages(file, entries, { to, ...(options.json && { facts: { plan } }) }));
  if (options.plan !== undefined) await writeFile(options.plan, JSON.stringify(plan));
  context.tell(`${whatWasDone(plan)}\n`);
}

/** Reads `--tools`, or the tools of the request. */
async function toolsOf(
  context: CliContext,
  { format, fields }: MessageFile,
  { tools: path }: FitCommandOptions,
): Promise<readonly ToolDefinition[] | undefined> {
  const tools = path === undefined ? fields["tools"] : await jsonFile(context, path);
  return tools === undefined || tools === null ? undefined : messageCodecs[format].tools(tools);
}

/** Reads `--plan`, if an earlier call has written it. */
async function previousPlanOf(
  context: CliContext,
  { plan: path }: FitCommandOptions,
): Promise<ReductionPlan | undefined> {
  if (path === undefined || !existsSync(path)) return undefined;
  const plan: unknown = await jsonFile(context, path);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fit validates its input
  return plan as ReductionPlan;
}

const DONE = { keep: "kept", edit: "shortened", summarize: "summarized", drop: "dropped" };

function whatWasDone({ decisions, totalTokens, window }: ReductionPlan): string {
  const counts = new Map<keyof typeof DONE, number>();
  for (const { action, entryCount } of decisions) {
    counts.set(action.kind, (counts.get(action.kind) ?? 0) + entryCount);
  }
  const done = [...counts].map(([kind, count]) => `${count} ${DONE[kind]}`).join(", ");
  const { contextTokens = Infinity, outputReserveTokens = 0, marginTokens = 0 } = window;
  return `Entries: ${done}. The prompt uses ${totalTokens} of ${contextTokens - outputReserveTokens - marginTokens} tokens.`;
}

/** Returns the window and the counter of `--model`, or of the model that the request names. */
function windowOf(
  { fields }: MessageFile,
  { model = textOf(fields["model"]), window: size, reserve, estimate }: FitCommandOptions,
): ReturnType<typeof modelParts> {
  if (model === undefined && size === undefined)
    throw invalidOption(
      "model",
      "The context window is unknown. Pass --model NAME or --window TOKENS.",
    );
  const reserved = reserve === undefined ? {} : { outputReserveTokens: reserve };
  const window =
    size === undefined
      ? windowOfModel(model ?? "", { advice: "Pass --window TOKENS.", ...reserved })
      : { contextTokens: size, ...reserved };
  return modelParts({ model, window, estimate });
}
