/** What one side said. */
export interface Utterance {
  readonly speaker: "user" | "assistant";
  readonly text: string;
}
