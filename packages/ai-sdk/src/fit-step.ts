import { HistoryError } from "@agent-history/core";
import type {
  Agent,
  HistoryEntry,
  ReductionPlan,
  ToolDefinition,
  Viewer,
} from "@agent-history/core";
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
import { markInstructions, markMessages } from "./internal/mark-messages.ts";
import { joinUserMessages } from "./internal/write-model.ts";
import { asMessages, modelFormat, readInstructions } from "./model-messages.ts";
import type { Instructions } from "./model-messages.ts";
import { modelTarget, providerOf } from "./model-target.ts";
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
  let described: Described | undefined;
  let told = tell(undefined, agent);
  const runs = new WeakMap<readonly ModelMessage[], Run>();
  const { format, steer, isSteering } = steeredFormat();
  const viewer = viewerOf(agent);
  const stamp = agent === undefined ? {} : { agent };

  return async (step) => {
    // AI SDK 5 and 6 tell a step neither: instructions would not be counted.
    if (!("initialMessages" in step)) {
      throw tooOld("`fitStep`", "7", ", or use `fitMiddleware`");
    }
    const known = step.stepNumber === 0 ? undefined : runs.get(step.initialMessages);
    const run: Run = known ?? { whole: [], sent: [], plan: newest };
    runs.set(step.initialMessages, run);
    steer(step.experimental_steeringMessages ?? []);
    run.whole = wholeOf(run, step.messages);
    const all = readMessages(modelFormat, run.whole, stamp);
    const { instructions } = step;
    // Marked instructions come back at the next step.
    if (instructions !== told.by && instructions !== told.marked) told = tell(instructions, agent);
    const { head } = told;
    const { toolsContext: by } = step;
    if (described === undefined || described.by !== by) {
      described = { by, definitions: toToolDefinitions(tools, { toolsContext: by }) };
    }
    const whole = [...head, ...all];
    const target = modelTarget({ provider: providerOf(step.model) });
    const asked = { window, viewer, view, tools: await described.definitions, signal };
    const request = { ...asked, previousPlan: run.plan, repair };
    const { entries, plan } = await fitForTarget(target, whole, request, (some, how) =>
      reducer.reduce(some, how),
    );
    run.plan = plan;
    newest = plan;
    onPlan?.(plan, step.stepNumber, whole);
    const beside = [told.marked ?? [], Object.values(tools)];
    const messages = writeStep(
      entries,
      { format, viewer },
      cache ? { plan, beside, isFixed: isSteering } : undefined,
    );
    // A copy: the list that is returned is the caller's.
    run.sent = [...messages];
    return { messages, ...(cache && told.marked && { instructions: told.marked }) };
  };
}

/** Writes the messages of a step, marked where Claude caches them. */
function writeStep(
  entries: readonly HistoryEntry[],
  { format, viewer }: { readonly format: MessageFormat; readonly viewer: Viewer },
  marks:
    | {
        readonly plan: ReductionPlan;
        readonly beside: readonly unknown[];
        readonly isFixed: (message: object) => boolean;
      }
    | undefined,
): ModelMessage[] {
  const write = (some: readonly HistoryEntry[]): readonly object[] =>
    writeMessages(format, some, {
      viewer,
      known: (one) => cameAs(modelFormat, one),
    });
  const lengthOf = (some: readonly HistoryEntry[]): number => write(some).length;
  const written = write(entries);
  const messages = marks
    ? markMessages(written, entries, marks.plan, { ...marks, lengthOf })
    : written;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message goes out as one
  return messages as ModelMessage[];
}

/**
 * A steering message goes out as the object that it came as, or the AI SDK reports it as not delivered: what is quoted before it stays a message of
 * its own.
 */
function steeredFormat(): {
  readonly format: MessageFormat;
  readonly steer: (messages: readonly object[]) => void;
  readonly isSteering: (message: object) => boolean;
} {
  const steering = new WeakSet<object>();
  return {
    format: {
      ...modelFormat,
      join: (before, message) =>
        steering.has(message) ? undefined : joinUserMessages(before, message),
    },
    isSteering: (message) => steering.has(message),
    steer: (messages) => messages.forEach((message) => steering.add(message)),
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

/** The tools as they count: the same as long as their context is. */
interface Described {
  readonly by: object | undefined;
  readonly definitions: Promise<readonly ToolDefinition[]>;
}

/** Instructions, and the entries that they count as: the same as long as they are, so that they are counted once. */
interface Told {
  readonly by: Instructions | undefined;
  readonly head: readonly HistoryEntry[];
  /** The same with a mark for the prompt cache. */
  readonly marked: SystemModelMessage[] | undefined;
}

function tell(by: Instructions | undefined, agent: Agent | undefined): Told {
  const head = readInstructions(by, agent === undefined ? {} : { agent });
  return { by, head, marked: by === undefined ? by : markInstructions(asMessages(by)) };
}
