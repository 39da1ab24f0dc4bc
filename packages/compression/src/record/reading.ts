import type { SummaryPart } from "@agent-history/core";

import { isReplyWord } from "./markers.ts";
import type { Call, Step } from "./steps.ts";
import { cutMiddle } from "./text.ts";

/** A history as it is read for its parts. */
export interface Reading {
  readonly steps: readonly Step[];
  readonly users: readonly Step[];
  /** Steps in which an agent said something. */
  readonly said: readonly Step[];
  readonly calls: readonly Call[];
  /** The position of the last step. */
  readonly last: number;
  /** The last thing that an agent said before a position. */
  readonly saidBefore: (at: number) => Step | undefined;
}

/** Prepares steps for reading. */
export function readingOf(steps: readonly Step[]): Reading {
  const said = steps.filter(({ by, text }) => by === "agent" && text !== "");
  const saidBefore = (at: number): Step | undefined => {
    // Positions ascend: the last one below is found by halving.
    let [low, high] = [0, said.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((said[middle]?.at ?? Infinity) < at) low = middle + 1;
      else high = middle;
    }
    return said[low - 1];
  };
  return {
    steps,
    users: steps.filter(({ by }) => by === "user"),
    said,
    calls: steps.flatMap(({ calls }) => calls),
    last: steps.at(-1)?.at ?? 0,
    saidBefore,
  };
}

/** Whether a message answers, and asks for nothing new. */
export function isReply(step: Step, { saidBefore }: Reading): boolean {
  const { text, via } = step;
  if (via === "plan" || via === "task" || text.length >= 90 || /[?？]\s*$/.test(text)) return false;
  if (via === "answer" || text === INTERRUPTED) return true;
  return isReplyWord(text) || /[?？]\s*$/.test(saidBefore(step.at)?.text ?? "");
}

/** Stands for a turn that the user stopped. */
export const INTERRUPTED = "[interrupted the agent]";

/** The longest text that a part stores, in characters. */
export const MOST_STORED = 2000;

/** Makes a part; texts longer than a part stores are cut in the middle. */
export function part(
  kind: string,
  key: string,
  at: number,
  text: string,
  note?: string,
): SummaryPart {
  return {
    kind,
    key,
    text: cutMiddle(text, MOST_STORED),
    at,
    ...(note !== undefined && note !== "" && { note: cutMiddle(note, MOST_STORED) }),
  };
}
