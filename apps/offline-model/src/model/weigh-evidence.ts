import { fileKind } from "../documents/file-kind.ts";
import { isTestPath } from "../documents/is-test-path.ts";
import { pathParts } from "../documents/path-parts.ts";
import { isRemedyHeading } from "../language/remedy.ts";
import { coverage } from "./coverage.ts";
import type { TopicWeights } from "./coverage.ts";
import type { Evidence } from "./evidence.ts";

/** What a word in the name of the file, or of what a source defines, is worth beside one in the quote. */
const NAME_SHARE = 0.8;
/** What a word in the folders above is worth. */
const FOLDER_SHARE = 0.25;
/** Tables and settings hold words, and seldom an explanation; tests hold invented ones. */
const DATA_FACTOR = 0.7;
const TEST_FACTOR = 0.7;

/** What it is worth to stand under a heading that says what to do, where that is asked. */
const REMEDY_SCORE = 1;

/** How much evidence tells of a topic: its quote, by a score given, and the place where it stands. */
export function weighEvidence(
  evidence: Evidence,
  quoteScore: number,
  weights: TopicWeights,
): number {
  const { path, title } = evidence;
  const { folder, name } = pathParts(path);
  const ofName = NAME_SHARE * coverage(`${name} ${title}`, weights);
  const ofFolder = FOLDER_SHARE * coverage(folder, weights);
  const ofKind = fileKind(path) === "data" ? DATA_FACTOR : 1;
  const ofTest = isTestPath(path) ? TEST_FACTOR : 1;
  const ofRemedy = weights.asksForRemedy && isRemedyHeading(title) ? REMEDY_SCORE : 0;
  return (quoteScore + ofName + ofFolder + ofRemedy) * ofKind * ofTest;
}
