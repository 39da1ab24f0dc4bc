import type { ActionEntry, Agent, ObservationEntry } from "@agent-history/core";
import { HistoryError, countOption } from "@agent-history/core";
import * as fc from "fast-check";

import type { TextConstraints } from "./arbitrary-text.ts";
import { arbitraryEvidence } from "./internal/arbitrary-source.ts";
import { arbitraryExchangeScript } from "./internal/arbitrary-step-script.ts";
import { layOutExchange } from "./internal/lay-out-step.ts";
import { newScribe } from "./internal/scribe.ts";

/** What exchanges to generate. */
export interface ExchangeConstraints {
  /** Exactly this many parallel calls, from 1. Default: 1 to 3. */
  readonly calls?: number;
  /** Who wrote it. Default: nobody. */
  readonly agent?: Agent;
  /** `true`: at least one call has no answer yet. Default `false`: every call is answered. */
  readonly running?: boolean;
  /** What texts are like. */
  readonly text?: TextConstraints;
}

/**
 * Generates an action and what answers it, in any order of the calls. Ids are unique within it and repeat in the next.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `calls` is not a positive integer.
 * @example
 * ```ts
 * import { arbitraryExchange } from "@agent-history/testkit";
 * import * as fc from "fast-check";
 *
 * const exchanges = fc.sample(arbitraryExchange({ calls: 3 }), 100);
 * exchanges.every(([action, ...observations]) => observations.length === action.toolCalls.length);
 * // => true
 * ```
 */
export function arbitraryExchange(
  constraints: ExchangeConstraints = {},
): fc.Arbitrary<readonly [ActionEntry, ...ObservationEntry[]]> {
  const { calls, agent, running = false, text = {} } = constraints;
  if (calls !== undefined && (countOption("calls", calls) < 1 || calls === Infinity)) {
    throw new HistoryError(`Expected \`calls\` to be an integer from 1; got ${calls}.`, {
      code: "INVALID_OPTION",
      details: { option: "calls", received: String(calls) },
    });
  }
  return fc
    .tuple(arbitraryExchangeScript(text, calls), arbitraryEvidence(text), fc.nat({ max: 99 }))
    .map(([script, sources, answered]) => {
      const scribe = newScribe({ names: [], clockErrorsMs: [0], sources, marks: NO_MARKS });
      const exchange = layOutExchange(script, scribe, {}, agent);
      return running ? firstAnswers(exchange, answered) : exchange;
    });
}

/** Leaves out one answer or more. */
function firstAnswers([action, ...observations]: Exchange, answered: number): Exchange {
  return [action, ...observations.slice(0, answered % observations.length)];
}

type Exchange = readonly [ActionEntry, ...ObservationEntry[]];

const NO_MARKS = { turnId: [], phaseId: [], taskId: [], agent: [] };
