import type { WeighedFact } from "../gate/internal/weigh-facts.ts";

/** What is known of a name or a file of which a summary may speak. */
export interface Traces {
  readonly entries: readonly number[];
  readonly origins: WeighedFact["origins"];
}

/**
 * The chance that an agent comes back to a name of code: who said it, how often, how long ago, and whether the agent has
 * looked for it. A logistic model of few and round weights.
 *
 * @param lookedForAt - The position of the last command or search with the name in it, where there is one.
 */
export function chanceOfName(
  { entries, origins }: Traces,
  size: number,
  lookedForAt: number | undefined,
): number {
  const looked = lookedForAt === undefined ? 0 : 1 + 2 * nearness(lookedForAt, size);
  return chance(
    -5.5 +
      0.35 * Math.log(Math.max(1, entries.length)) -
      0.75 * ageOf(entries.at(-1) ?? 0, size) +
      (origins.has("arguments") ? 1 : 0) +
      (origins.has("user") ? 1 : 0) +
      (origins.has("assistant") ? 0.4 : 0) +
      looked,
  );
}

/**
 * The chance that an agent comes back to a file; a name without a folder is often no file of the work.
 *
 * @param use - What calls did with it, where they named it.
 */
export function chanceOfFile(
  path: string,
  { entries, origins }: Traces,
  size: number,
  use?: { readonly index: number; readonly count: number; readonly isChanged: boolean },
): number {
  const entryIndex = use?.index ?? entries.at(-1) ?? 0;
  const used =
    use === undefined
      ? 0
      : 1.6 +
        (use.isChanged ? 0.2 : 0) +
        0.3 * Math.log(use.count) +
        2 * nearness(entryIndex, size);
  return chance(
    -4.8 +
      (path.includes("/") ? 1.1 : 0) +
      0.5 * Math.log(Math.max(1, entries.length)) -
      0.2 * ageOf(entryIndex, size) +
      (origins.has("user") ? 1 : 0) +
      (origins.has("assistant") ? 0.25 : 0) +
      used,
  );
}

/** Says what came of the work, or why; a question and a greeting do not. */
const CONCLUSION =
  /\b(?:because|since|so that|therefore|instead|cannot|can be|must|root cause|bug|issue|problem|found|fixe[sd]|decided|chose|created|added|removed|renamed|moved|replaced|resolved|cancel(?:l)?ed|confirmed|booked|updated|merged|failed|passe[sd]|works)\b/gi;

/** How likely it is that a sentence of an agent says what came of the work, from 0 to 1: one of few words says little. */
export function chanceOfConclusion(
  sentence: string,
  said: { readonly index: number; readonly isAnswer: boolean },
  size: number,
): number {
  const words = sentence.split(/\s+/).length;
  if (words < LEAST_WORDS || QUESTION.test(sentence) || INTENTION.test(sentence)) return 0;
  const cues = new Set(sentence.toLowerCase().match(CONCLUSION) ?? []).size;
  const isTold = (said.isAnswer ? 1 : 0) + 0.8 * Math.min(3, cues);
  return chance(isTold - 3 + nearness(said.index, size)) * Math.min(1, words / ENOUGH_WORDS);
}

const LEAST_WORDS = 6;
const ENOUGH_WORDS = 16;
const QUESTION = /\?["'”’)*\]]{0,3}$/;
const INTENTION = /^(?:now )?(?:let me|i'll|i will|i can help|please|could you|would you)\b/i;

function ageOf(index: number, size: number): number {
  return (size - 1 - index) / Math.max(1, size);
}

/** 1 for the newest; a half for what a tenth of the history follows. */
function nearness(index: number, size: number): number {
  return 1 / (1 + 10 * Math.max(0, ageOf(index, size)));
}

function chance(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}
