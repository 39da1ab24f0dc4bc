import { HistoryError } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";
import {
  cameAs,
  checkFitOptions,
  fitForTarget,
  readMessages,
  requireMessages,
  viewerOf,
  writeMessages,
} from "@agent-history/format-kit";
import type { FitOptions, MessageFormat } from "@agent-history/format-kit";
import type { ModelMessage, SystemModelMessage, ToolSet } from "ai";

import { tooOld } from "./internal/load-ai.ts";
import { markInstructions, writeMarked } from "./internal/mark-messages.ts";
import { joinUserMessages } from "./internal/write-model.ts";
import { asMessages, modelFormat, readInstructions } from "./model-messages.ts";
import type { Instructions } from "./model-messages.ts";
import { modelTarget, providerOf } from "./model-rules.ts";
import { toToolDefinitions } from "./to-tool-definitions.ts";

/** What each step's messages are made to fit, and by whom. */
export interface FitStepOptions extends FitOptions {
  /** The tools of the call, `{}` without: their schemas count, and the AI SDK does not show them to a step. */
  readonly tools: ToolSet;
  /** The plan to continue in the first step, for example a stored one. */
  readonly previousPlan?: ReductionPlan | undefined;
  /** Called with each plan and the entries that it was made for, before its step is sent: to store it, or to show it. */
  readonly onPlan?:
    | ((plan: ReductionPlan, stepNumber: number, entries: readonly HistoryEntry[]) => void)
    | undefined;
  /**
   * Marks where Claude caches the prompt (`providerOptions.anthropic.cacheControl`): the instructions, where the plan says that the prompt is stable, and the end. At most four with your own, which
   * stay; the same places at the next step. Other providers ignore them. Default `false`.
   */
  readonly cache?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What {@link fitStep} reads of what the AI SDK tells its `prepareStep`. */
export interface StepToFit {
  readonly stepNumber: number;
  readonly messages: readonly ModelMessage[];
  readonly initialMessages: readonly ModelMessage[];
  readonly instructions: Instructions | undefined;
  /** Whose provider's rules hold. */
  readonly model?: unknown;
  /** What each tool is given: descriptions that are functions are made of it. */
  readonly toolsContext?: object | undefined;
  /** User messages that were sent to the running generation, at the end of `messages`. */
  readonly experimental_steeringMessages?: readonly ModelMessage[] | undefined;
}

/** A `prepareStep` of `generateText`, `streamText` and `ToolLoopAgent`. */
export type FitStep = (
  step: StepToFit,
) => Promise<{ messages: ModelMessage[]; instructions?: SystemModelMessage[] }>;

/**
 * Makes a `prepareStep` that fits the messages of each step to a window.
 *
 * The AI SDK hands a step what was sent before, which is the fitted prompt: the hook keeps the whole conversation of a run and its last
 * plan, so that the prompt only grows from step to step until the window is full. Instructions and tools count. A message
 * that stays as it is is given back as the same object; so is a steering message, or the AI SDK reports it as not delivered. One hook may serve several runs: a new one continues the newest plan, where
 * it is handed the whole conversation again.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if there is no reducer, no `tools`, or no window that can work. The step rejects with
 * `WINDOW_TOO_SMALL` where what must be kept does not fit, and so does the call of `generateText`; with `MISSING_PACKAGE` under AI SDK 5 and 6, whose steps do not
 * see the instructions: use `fitMiddleware`.
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
  const { reducer, window, agent, view, onPlan, signal, repair } = checkFitOptions(options);
  const { tools, cache = false } = options;
  if (typeof tools !== "object" || tools === null) {
    throw new HistoryError(
      "Expected `tools` to be those of the call, or `{}`: their schemas count.",
      {
        code: "INVALID_OPTION",
        details: { option: "tools" },
      },
    );
  }
  let newest = options.previousPlan;
  const runs = new WeakMap<readonly ModelMessage[], Run>();
  const viewer = viewerOf(agent);
  const stamp = agent === undefined ? {} : { agent };
  // A steering message goes out as the object that it came as, or the AI SDK reports it as not delivered: what is quoted before it stays a message of its own.
  const steering = new WeakSet<object>();
  const format: MessageFormat = {
    ...modelFormat,
    join: (before, message) =>
      steering.has(message) ? undefined : joinUserMessages(before, message),
  };
  const write = (some: readonly HistoryEntry[]): readonly object[] =>
    writeMessages(format, some, { viewer, known: (run) => cameAs(format, run) });

  return async (step) => {
    // AI SDK 5 and 6 tell a step neither: instructions would not be counted.
    if (!("initialMessages" in step)) {
      throw tooOld("`fitStep`", "7", ", or use `fitMiddleware`");
    }
    const known = step.stepNumber === 0 ? undefined : runs.get(step.initialMessages);
    const run: Run = known ?? { whole: [], sent: [], plan: newest };
    runs.set(step.initialMessages, run);
    for (const message of step.experimental_steeringMessages ?? []) steering.add(message);
    run.whole = wholeOf(run, step.messages);
    // Marked instructions come back at the next step: they are read as they are marked.
    const given = asMessages(step.instructions);
    const instructions = cache ? markInstructions(given) : [...given];
    const all = [
      ...readInstructions(instructions, stamp),
      ...readMessages(modelFormat, run.whole, stamp),
    ];
    const definitions = await toToolDefinitions(tools, { toolsContext: step.toolsContext });
    const request = { window, viewer, view, tools: definitions, signal, repair };
    const { entries, plan } = await fitForTarget(
      modelTarget({ provider: providerOf(step.model) }),
      all,
      { ...request, previousPlan: run.plan },
      (some, how) => reducer.reduce(some, how),
    );
    run.plan = plan;
    newest = plan;
    onPlan?.(plan, step.stepNumber, all);
    const beside = [instructions, Object.values(tools)];
    const isFixed = (message: object): boolean => steering.has(message);
    const sent = cache ? writeMarked(entries, plan, { write, beside, isFixed }) : write(entries);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message goes out as one
    run.sent = sent as readonly ModelMessage[];
    // A copy: the list that is returned is the caller's.
    const messages = [...run.sent];
    return { messages, ...(cache && instructions.length > 0 && { instructions }) };
  };
}

interface Run {
  /** The conversation without cuts. */
  whole: readonly ModelMessage[];
  /** What the last step was given of it. */
  sent: readonly ModelMessage[];
  plan: ReductionPlan | undefined;
}

/** Returns the whole conversation: a step comes with what was sent before, and what is new behind it. If what was sent has changed, what came is the whole. */
function wholeOf({ whole, sent }: Run, came: readonly ModelMessage[]): readonly ModelMessage[] {
  requireMessages(came);
  const isGrown = sent.every((message, index) => message === came[index]);
  return isGrown ? [...whole, ...came.slice(sent.length)] : [...came];
}
