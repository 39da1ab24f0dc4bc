/** What a prompt may ask for. The last line of a system message names one. */
export type ReplyForm =
  | "strategic-plan"
  | "worker-choice"
  | "steps"
  | "script"
  | "tool-calls-or-report"
  | "synthesis"
  | "answer"
  | "conversation";

const PREFIX = "Reply form: ";

/** Ends instructions with the form of the reply. */
export function withReplyForm(instructions: string, form: ReplyForm): string {
  return `${instructions}\n${PREFIX}${form}`;
}

/** Reads the form from the end of a system message. */
export function replyFormOf(instructions: string): string {
  const line = instructions.slice(instructions.lastIndexOf("\n") + 1);
  return line.startsWith(PREFIX) ? line.slice(PREFIX.length) : "";
}
