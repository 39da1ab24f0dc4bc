/** Something to look for in a history, for the strategy that retrieves facts. */
export interface Concept {
  /** Names it in the summary, for example `user_preferences`. Not empty, each once. */
  readonly keyword: string;
  /** What to look for, in a sentence that a model reads. Not empty. */
  readonly description: string;
  /** Whether there is one answer, of which the newest holds, or several. */
  readonly factType: "single" | "multiple";
}
