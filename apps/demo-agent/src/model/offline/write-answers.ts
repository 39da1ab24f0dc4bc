import { readEvidence, writeEvidence } from "./evidence.ts";
import type { Evidence } from "./evidence.ts";
import { quoteSources } from "./quote-sources.ts";
import { rankEvidence } from "./rank-evidence.ts";
import type { ReadPrompt } from "./read-prompt.ts";
import { requestOf } from "./request.ts";
import { resolveFollowUp } from "./resolve-follow-up.ts";
import { readToolSources } from "./tool-sources.ts";
import { topicOf } from "./topic.ts";

const MAX_IN_SYNTHESIS = 6;
const IN_ANSWER = { maxCount: 3, minShare: 0.6, isAnswer: true };

/** Sums up what the workers of a phase report: their evidence, best first. */
export function writeSynthesis({ task, reports }: ReadPrompt): string {
  const request = requestOf(task);
  const topic = topicOf(request);
  const sources = reports.flatMap(readToolSources);
  const evidence: readonly Evidence[] = [
    ...reports.flatMap(readEvidence),
    ...quoteSources(sources, topic, MAX_IN_SYNTHESIS),
  ];
  return (
    writeEvidence(rankEvidence(evidence, topic, { maxCount: MAX_IN_SYNTHESIS })) ||
    `Nothing found that answers: ${request}`
  );
}

/** Answers the user from the syntheses of the turn. */
export function writeAnswer({ conversation, syntheses }: ReadPrompt): string {
  const topic = topicOf(resolveFollowUp(conversation));
  const evidence = rankEvidence(syntheses.flatMap(readEvidence), topic, IN_ANSWER);
  return writeEvidence(evidence) || "Nothing in these documents answers that.";
}

/** Answers the user from what was said before, and looks nothing up. */
export function writeReply({ conversation }: ReadPrompt): string {
  const topic = topicOf(resolveFollowUp(conversation));
  const said = conversation.filter(({ speaker }) => speaker === "assistant");
  const evidence = rankEvidence(
    said.flatMap(({ text }) => readEvidence(text)),
    topic,
    IN_ANSWER,
  );
  return (
    writeEvidence(evidence) ||
    "Nothing that was said so far answers that, and in a chat I look nothing up."
  );
}
