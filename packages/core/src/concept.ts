/** A topic to look for, for the strategy that retrieves facts. */
export interface Concept {
  /** Names it in the summary, for example `user_preferences`. Not empty, each once. */
  readonly keyword: string;
  /** What to look for, as a sentence for the model. Not empty. */
  readonly description: string;
  /** `single`: only the newest answer counts. `multiple`: all of them do. */
  readonly factType: "single" | "multiple";
}
