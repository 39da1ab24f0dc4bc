const QUESTION =
  /\b(?:how (?:do|can|could|should|shall|to)\b|what (?:can|could|should|must|shall)\b|which \w+ (?:helps?|fixes|solves|cures|stops|prevents|avoids)|(?:fix|solve|resolve|cure|avoid|prevent|work around|get rid of)\b)/i;
const HEADING =
  /\b(?:solutions?|solving|fix(?:es|ing)?|workarounds?|resolutions?|resolving|remed(?:y|ies)|what to do|how to|prevention|recommendations?|recommended|best practices?|mitigations?)\b/i;

/** Returns whether a question asks what to do about something, and not what there is. */
export function asksForRemedy(question: string): boolean {
  return QUESTION.test(question);
}

/** Returns whether what stands under a heading says what to do. */
export function isRemedyHeading(heading: string): boolean {
  return HEADING.test(heading);
}
