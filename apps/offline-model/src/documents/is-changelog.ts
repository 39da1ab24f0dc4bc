const CHANGELOG = /(?:^|\/)(?:changelog|changes|history|releases?)[^/]*$/i;
const QUESTION =
  /\b(?:chang\w+|releas\w+|versions?|new in|upgrad\w+|migrat\w+|since when|fixed)\b/i;

/** Tells by its path whether a file lists what changed from version to version, and not what there is. */
export function isChangelog(path: string): boolean {
  return CHANGELOG.test(path);
}

/** Returns whether a question is about such changes. */
export function asksForChanges(question: string): boolean {
  return QUESTION.test(question);
}
