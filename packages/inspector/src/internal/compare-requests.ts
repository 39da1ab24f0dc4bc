import type { ReductionPlan } from "@agent-history/core";

import type { SentPart } from "./sent-parts.ts";

/** A request, as far as it is compared with the next. */
export interface SentRequest {
  readonly parts: readonly SentPart[];
  /** Tokens before any entry: tool schemas. */
  readonly requestTokens: number;
  readonly totalTokens: number;
}

/** Where two requests begin to differ. */
export interface RequestDifference {
  readonly sameTokens: number;
  /** The entry at which it begins. Missing if the later one only continues. */
  readonly entryId?: string;
  readonly what: string;
}

/** Finds the first part of a request that the request before it did not have. Linear. */
export function compareRequests(before: SentRequest, now: SentRequest): RequestDifference {
  if (before.requestTokens !== now.requestTokens) {
    return {
      sameTokens: 0,
      ...entryIdOf(now.parts[0]),
      what: "other tools, or other tool schemas",
    };
  }
  let index = 0;
  let sameTokens = now.requestTokens;
  while (index < before.parts.length && before.parts[index]?.key === now.parts[index]?.key) {
    sameTokens += now.parts[index]?.tokens ?? 0;
    index += 1;
  }
  if (index === before.parts.length) return { sameTokens, what: "continues the request before" };
  const [was, is] = [before.parts[index], now.parts[index]];
  const isGone = !now.parts.some(({ key }) => key === was?.key);
  const isEdited =
    [was, is].every((part) => part?.key.startsWith("whole ")) && was?.entryId === is?.entryId;
  if (isEdited) return { sameTokens, ...entryIdOf(is), what: "the entry says something else" };
  const what =
    was?.entryId === is?.entryId || !isGone
      ? (is?.what ?? "it ends earlier")
      : "the entry is no longer sent as it was";
  return { sameTokens, ...entryIdOf(isGone ? was : (is ?? was)), what };
}

function entryIdOf(part: SentPart | undefined): { readonly entryId?: string } {
  return part === undefined ? {} : { entryId: part.entryId };
}

/** Says why a plan does not continue the one before, for a person. */
export function stoppedReason({ continued }: ReductionPlan): string | undefined {
  return continued?.stoppedBy === undefined ? undefined : STOPPED[continued.stoppedBy];
}

const STOPPED: Readonly<
  Record<NonNullable<NonNullable<ReductionPlan["continued"]>["stoppedBy"]>, string>
> = {
  change: "an entry that was kept had been edited, inserted, deleted or moved",
  cut: "the window was full: room was made",
  "dropped-needed": "what had been dropped must be shown",
  counter: "another counter",
  window: "another window",
  view: "another view",
  viewer: "another viewer",
  request: "other tools",
  pairing: "calls and results pair otherwise",
  "duplicate-id": "an id appears twice",
  damaged: "the plan before was damaged, or of another release",
  "every-turn": "the scorer is asked at each call",
  recall: "nothing is quoted any more",
};

/** Says what would have let a plan continue the one before, for a person. */
export function avoidOf({ continued }: ReductionPlan): string | undefined {
  const { stoppedBy } = continued ?? {};
  if (stoppedBy === "cut") return "a larger window, or shorter results";
  if (stoppedBy === "change") return "leaving what was sent as it is";
  if (stoppedBy === "request") return "the same tools at each call";
  if (stoppedBy === "window") return "the same window at each call";
  return continued === undefined ? "passing the plan of the previous call" : undefined;
}
