/**
 * What can be wrong in a log.
 *
 * - `lost-result`: a call whose agent has gone on has no result
 * - `lost-action`: results whose action is missing
 * - `orphan-result`: a result of a call that nobody made
 * - `doubled-result`: two results for one call
 * - `result-before-action`: a result stands before its action
 * - `far-result`: a result stands after its agent's next exchange
 * - `reused-call-id`: two actions of one agent are open at once and use one call id
 * - `missing-call-id`: a result, or a call and its result, has an empty id
 * - `shuffled-neighbors`: an action and its results stand in reverse
 * - `mixed-agents`: exchanges of two agents interleave, and nothing says whose they are
 * - `doubled-entry`: an entry stands twice
 * - `doubled-id`: two entries carry one id
 * - `doubled-number`: a citation number is used for two sources
 */
export type Breakage = (typeof BREAKAGES)[number];

/** Every {@link Breakage}. */
export const BREAKAGES = [
  "lost-result",
  "lost-action",
  "orphan-result",
  "doubled-result",
  "result-before-action",
  "far-result",
  "reused-call-id",
  "missing-call-id",
  "shuffled-neighbors",
  "mixed-agents",
  "doubled-entry",
  "doubled-id",
  "doubled-number",
] as const;
