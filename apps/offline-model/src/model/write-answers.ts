import { readEvidence, writeEvidence } from "./evidence.ts";
import { quoteSources } from "./quote-sources.ts";
import { rankEvidence } from "./rank-evidence.ts";
import type { ReadPrompt } from "./read-prompt.ts";
import { requestOf } from "./request.ts";
import { resolveFollowUp } from "./resolve-follow-up.ts";
import { standingsOf } from "./standings.ts";
import { readToolSources } from "./tool-sources.ts";
import { topicOf } from "./topic.ts";

const MAX_IN_SYNTHESIS = 8;
const IN_ANSWER = { maxCount: 5, minShare: 0.5, isAnswer: true, perTurn: 2 };

/** Sums up what the workers of a phase report: their evidence, best first. */
export function writeSynthesis({ task, reports, syntheses }: ReadPrompt): string {
  const request = requestOf(task);
  const topic = topicOf(request);
  const shown = reports.flatMap(readToolSources);
  const quoted = quoteSources(shown, topic, {
    maxCount: MAX_IN_SYNTHESIS,
    standings: standingsOf([shown]),
  });
  const lists = [...reports.map(readEvidence), quoted];
  const earlier = syntheses.map(readEvidence);
  const standings = standingsOf(earlier.length > 0 ? earlier : lists);
  const evidence = rankEvidence(lists.flat(), topic, { maxCount: MAX_IN_SYNTHESIS, standings });
  return writeEvidence(evidence) || `Nothing found that answers: ${request}`;
}

/** Answers the user from the syntheses of the turn. */
export function writeAnswer({ conversation, syntheses }: ReadPrompt): string {
  const topic = topicOf(resolveFollowUp(conversation));
  const lists = syntheses.map(readEvidence);
  const standings = standingsOf(lists);
  const evidence = rankEvidence(lists.flat(), topic, { ...IN_ANSWER, standings });
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
