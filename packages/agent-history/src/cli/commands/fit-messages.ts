import type { ReductionPlan } from "@agent-history/core";
import { fitForTarget, sendingWith, textOf } from "@agent-history/format-kit";
import { sinceCompaction } from "@agent-history/openai";
import { fitToWindow } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";

import { modelParts } from "../../for-model.ts";
import { invalidOption } from "../cli-context.ts";
import type { Answer, CliContext } from "../cli-context.ts";
import { messageCodecs } from "../messages/message-codecs.ts";
import { inputOf, messagesAnswer } from "../messages/message-files.ts";
import { readMessages } from "../messages/read-messages.ts";
import type { MessageOptions } from "../messages/read-messages.ts";
import { wrapProse } from "../table.ts";

export interface FitCommandOptions extends MessageOptions {
  readonly model?: string;
  readonly window?: number;
  readonly reserve?: number;
  readonly recall?: true;
}

/** Trims messages to the context window of `--model`, or of the model that the request names, and repairs what its API would refuse. */
export async function fitMessages(
  context: CliContext,
  given: string | undefined,
  options: FitCommandOptions,
): Promise<Answer> {
  const file = await readMessages(context, (await inputOf(context, given)).text, options);
  const { model = textOf(file.fields["model"]), window: contextTokens, reserve } = options;
  if (model === undefined && contextTokens === undefined)
    throw invalidOption(
      "model",
      "The context window is unknown. Pass --model NAME or --window TOKENS.",
    );
  const window = contextTokens === undefined ? undefined : { contextTokens };
  const known = modelParts({ model, window, estimate: true });
  const codec = messageCodecs[file.format];
  const { tools } = file.fields;
  const asked = {
    counter: known.counter,
    window: { ...known.window, ...(reserve !== undefined && { outputReserveTokens: reserve }) },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- tools of another shape are refused by the format
    tools: tools ? codec.tools(tools as never) : undefined,
    scorer: options.recall && lexicalScorer(),
  };
  const target = codec.target?.();
  const log = sinceCompaction(file.entries);
  const { entries, plan } = target
    ? fitForTarget(sendingWith(target, { tools }), log, asked, fitToWindow)
    : fitToWindow(log, asked);
  context.tell(wrapProse(context, planText(plan)));
  return messagesAnswer(file, entries, { facts: { plan } });
}

const DONE = { keep: "kept", edit: "shortened", summarize: "summarized", drop: "dropped" };

function planText({ decisions, repairs, totalTokens, window }: ReductionPlan): readonly string[] {
  const counts = new Map<keyof typeof DONE, number>();
  for (const { action, entryCount } of decisions) {
    counts.set(action.kind, (counts.get(action.kind) ?? 0) + entryCount);
  }
  const done = [...counts].map(([kind, count]) => `${count} ${DONE[kind]}`).join(", ");
  const { contextTokens = Infinity, outputReserveTokens = 0, marginTokens = 0 } = window;
  const room = contextTokens - outputReserveTokens - marginTokens;
  const rules = new Set(repairs.map(({ rule, kind }) => rule ?? kind));
  return [
    ...(rules.size === 0 ? [] : [`Repaired: ${[...rules].join(", ")}.`]),
    `Entries: ${done}. The prompt uses ${totalTokens} of ${room} tokens.`,
  ];
}
