import type { HistoryEntry, ReductionPlan } from "@agent-history/core";
import {
  checkFitOptions,
  fitWithOptions,
  invalidTool,
  joinUserMessages,
  readMessages,
  requireMessages,
  viewerOf,
  writeMessages,
} from "@agent-history/format-kit";
import type { FitOptions, MessageFormat } from "@agent-history/format-kit";
import type { ModelMessage, SystemModelMessage, ToolSet } from "ai";

import { tooOld } from "./internal/load-ai.ts";
import { markInstructions, writeMarked } from "./internal/mark-messages.ts";
import { asMessages, modelFormat, readInstructions } from "./model-messages.ts";
import type { Instructions } from "./model-messages.ts";
import { modelTarget, providerOf } from "./model-rules.ts";
import { toToolDefinitions } from "./to-tool-definitions.ts";

/** Options of {@link fitStep}: the reducer, the window and the tools for each step. */
export interface FitStepOptions extends FitOptions {
  /** The tools of the call, `{}` if none. Their schemas count. They must be passed here, because the AI SDK does not pass them to a step. */
  readonly tools: ToolSet;
  /** The plan to continue in the first step, e.g. a stored one. */
  readonly previousPlan?: ReductionPlan | undefined;
  /** Called with each plan and its entries before the step is sent, e.g. to store or display it. */
  readonly onPlan?:
    | ((plan: ReductionPlan, stepNumber: number, entries: readonly HistoryEntry[]) => void)
    | undefined;
  /**
   * Marks cache points for Claude (`providerOptions.anthropic.cacheControl`): after the instructions, at the end of the prefix that the plan reports as stable, and at the end. At most four, your own marks included, which
   * stay; the positions are the same at the next step. Other providers ignore them. Default `false`.
   */
  readonly cache?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The fields that {@link fitStep} reads of the options of `prepareStep`. */
export interface StepToFit {
  readonly stepNumber: number;
  readonly messages: readonly ModelMessage[];
  readonly initialMessages: readonly ModelMessage[];
  readonly instructions: Instructions | undefined;
  /** The model; its provider selects the rules. */
  readonly model?: unknown;
  /** The context of each tool, passed to descriptions that are functions. */
  readonly toolsContext?: object | undefined;
  /** User messages that were sent during the generation; they are at the end of `messages`. */
  readonly experimental_steeringMessages?: readonly ModelMessage[] | undefined;
}

/** A `prepareStep` of `generateText`, `streamText` and `ToolLoopAgent`. */
export type FitStep = (
  step: StepToFit,
) => Promise<{ messages: ModelMessage[]; instructions?: SystemModelMessage[] }>;

/**
 * Creates a `prepareStep` that fits the messages of each step to a window.
 *
 * The AI SDK passes a step the previously sent, fitted prompt. The hook therefore keeps the full conversation of a run and its last
 * plan, so that the prompt only grows from step to step until the window is full. Instructions and tools count. An unchanged message
 * is returned as the same object; so is a steering message, because the AI SDK would otherwise report it as not delivered. One hook may serve several runs: a new run continues the newest plan if
 * it passes the full conversation again.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if the reducer, `tools` or the window is missing, or the window is invalid. The step, and so the call of `generateText`, rejects with
 * `WINDOW_TOO_SMALL` if what must be kept does not fit, and with `MISSING_PACKAGE` under AI SDK 5 and 6, whose steps do not
 * receive the instructions: use `fitMiddleware` there.
 *
 * @example
 * ```ts
 * import { fitStep } from "@agent-history/ai-sdk";
 * import { createReducer } from "@agent-history/reducer";
 * import { tiktokenCounter } from "@agent-history/tokens";
 *
 * const reducer = createReducer({ counter: tiktokenCounter({ model: "gpt-4o" }) });
 * const prepareStep = fitStep({ reducer, window: { contextTokens: 40 }, tools: {} });
 * const messages = [
 *   { role: "user" as const, content: "Which flights go to Rome?" },
 *   { role: "assistant" as const, content: "Two, at nine and at noon. ".repeat(20) },
 *   { role: "user" as const, content: "Take the first." },
 * ];
 * const step = { stepNumber: 0, messages, initialMessages: messages, instructions: undefined };
 * (await prepareStep(step)).messages.map(({ content }) => content);
 * // => ["Take the first."]
 * ```
 */
export function fitStep(options: FitStepOptions): FitStep {
  const { agent, onPlan, signal, tools, cache = false } = checkFitOptions(options);
  if (typeof tools !== "object" || tools === null) {
    throw invalidTool("tools", "those of the call, or `{}`: their schemas count");
  }
  let newest = options.previousPlan;
  const runs = new WeakMap<readonly ModelMessage[], Run>();
  const viewer = viewerOf(agent);
  // A steering message must be returned as the same object, or the AI SDK reports it as not delivered. So quotes before it stay a separate message.
  const steering = new WeakSet<object>();
  const format: MessageFormat = {
    ...modelFormat,
    join: (before, message) =>
      steering.has(message) ? undefined : joinUserMessages(before, message),
  };
  const write = (some: readonly HistoryEntry[]): readonly object[] =>
    writeMessages(format, some, { viewer });

  return async (step) => {
    // AI SDK 5 and 6 pass neither to a step, so instructions would not be counted.
    if (!("initialMessages" in step)) {
      throw tooOld("`fitStep`", "7", ", or use `fitMiddleware`");
    }
    const known = step.stepNumber === 0 ? undefined : runs.get(step.initialMessages);
    const run: Run = known ?? { whole: [], sent: [], plan: newest };
    runs.set(step.initialMessages, run);
    for (const message of step.experimental_steeringMessages ?? []) steering.add(message);
    run.whole = wholeOf(run, step.messages);
    // Marked instructions are passed to the next step with their marks.
    const given = asMessages(step.instructions);
    const instructions = cache ? markInstructions(given) : [...given];
    const all = [
      ...readInstructions(instructions, { agent }),
      ...readMessages(modelFormat, run.whole, { agent }),
    ];
    const definitions = await toToolDefinitions(tools, { toolsContext: step.toolsContext });
    const target = modelTarget({ provider: providerOf(step.model), runnable: [] });
    const request = { tools: definitions, previousPlan: run.plan, signal };
    const { entries, plan } = await fitWithOptions(options, target, all, request);
    run.plan = plan;
    newest = plan;
    onPlan?.(plan, step.stepNumber, all);
    const beside = [instructions, Object.values(tools)];
    const isFixed = (message: object): boolean => steering.has(message);
    const sent = cache ? writeMarked(entries, plan, { write, beside, isFixed }) : write(entries);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each message of the input is returned as a message
    run.sent = sent as readonly ModelMessage[];
    // Return a copy, because the caller may change the list.
    const messages = [...run.sent];
    return { messages, ...(cache && instructions.length > 0 && { instructions }) };
  };
}

interface Run {
  /** The full conversation. */
  whole: readonly ModelMessage[];
  /** The messages that the last step was sent. */
  sent: readonly ModelMessage[];
  plan: ReductionPlan | undefined;
}

/** Returns the full conversation. A step passes the previously sent messages, followed by new ones. If the sent messages have changed, the passed list is taken as the full conversation. */
function wholeOf({ whole, sent }: Run, came: readonly ModelMessage[]): readonly ModelMessage[] {
  requireMessages(came);
  const isGrown = sent.every((message, index) => message === came[index]);
  return isGrown ? [...whole, ...came.slice(sent.length)] : [...came];
}
