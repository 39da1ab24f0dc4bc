import { readWordCounts, writeWordCounts } from "../search/word-counts.ts";
import type { WordCounts } from "../search/word-counts.ts";
import { readEvidence, writeEvidence } from "./evidence.ts";
import type { Evidence } from "./evidence.ts";
import { quoteSources } from "./quote-sources.ts";
import { rankEvidence } from "./rank-evidence.ts";
import type { ReadPrompt } from "./read-prompt.ts";
import { requestOf } from "./request.ts";
import { resolveFollowUp } from "./resolve-follow-up.ts";
import { standingsOf } from "./standings.ts";
import type { Standings } from "./standings.ts";
import { WORK_FAILED } from "./summary-lines.ts";
import { readToolSources } from "./tool-sources.ts";
import { topicOf } from "./topic.ts";
import { missingWords, whatAnswers } from "./what-answers.ts";

const MAX_IN_SYNTHESIS = 8;
const MAX_IN_ANSWER = 3;
const MAX_WORDS = 5;

/** Sums up what the workers of a phase report: their evidence, best first, and how common the words of the request are. */
export function writeSynthesis({ task, reports, syntheses }: ReadPrompt): string {
  const request = requestOf(task);
  const topic = topicOf(request);
  const shown = reports.flatMap((report) => readToolSources(report));
  const quoted = quoteSources(shown, topic, {
    maxCount: MAX_IN_SYNTHESIS,
    standings: standingsOf([shown]),
  });
  const lists = [...reports.map(readEvidence), quoted];
  const earlier = syntheses.map(readEvidence);
  const standings = standingsOf(earlier.length > 0 ? earlier : lists);
  const evidence = rankEvidence(lists.flat(), topic, { maxCount: MAX_IN_SYNTHESIS, standings });
  const hasFailed = reports.some((report) => report.includes(WORK_FAILED));
  const found = writeEvidence(evidence) || (hasFailed ? WORK_FAILED : nothingFor(request));
  return withWordCounts(found, readWordCounts([...syntheses, ...reports]));
}

/** Answers the user from the syntheses of the turn. */
export function writeAnswer({ conversation, syntheses }: ReadPrompt): string {
  const question = resolveFollowUp(conversation);
  const lists = syntheses.map(readEvidence);
  const answer = answerFrom(question, lists.flat(), {
    standings: standingsOf(lists),
    counted: readWordCounts(syntheses),
  });
  if (answer !== undefined) return answer;
  return syntheses.some((text) => text.includes(WORK_FAILED))
    ? WORK_FAILED
    : "Nothing found in these documents answers that.";
}

/** Answers the user from what was said before, and looks nothing up. */
export function writeReply({ conversation }: ReadPrompt): string {
  const said = conversation.filter(({ speaker }) => speaker === "assistant");
  const evidence = said.flatMap(({ text }) => readEvidence(text));
  return (
    answerFrom(resolveFollowUp(conversation), evidence) ??
    "Nothing that was said so far answers that, and in a chat I look nothing up."
  );
}

/** Says of a request that nothing was found for it. */
export function nothingFor(request: string): string {
  return `Nothing found that answers: ${request}`;
}

/** Adds to a report or a synthesis how common the words of its request are. */
export function withWordCounts(text: string, counted: WordCounts | undefined): string {
  return counted === undefined ? text : `${text}\n\n${writeWordCounts(counted)}`;
}

/** Answers a question by what of the evidence answers it, or names its words that occur in no document; nothing if there is neither. */
export function answerFrom(
  question: string,
  evidence: readonly Evidence[],
  {
    standings,
    counted,
  }: { readonly standings?: Standings; readonly counted?: WordCounts | undefined } = {},
): string | undefined {
  const topic = topicOf(question);
  const missing = missingWords(question, topic, counted);
  if (missing.length > 0) return refusal(missing);
  const ranked = rankEvidence(whatAnswers(evidence, topic, counted), topic, {
    maxCount: MAX_IN_ANSWER,
    minShare: 0.5,
    isAnswer: true,
    perTurn: 2,
    ...(standings && { standings }),
  });
  return ranked.length === 0 ? undefined : writeEvidence(ranked);
}

function refusal(words: readonly string[]): string {
  const named = words.slice(0, MAX_WORDS).map((word) => `“${word}”`);
  const list = [named.slice(0, -1).join(", "), named.at(-1)].filter(Boolean).join(" or ");
  return `Nothing in these documents speaks of ${list}, so nothing in them answers that.`;
}
