import type { ChatMessage } from "./chat-model.ts";
import { HEADINGS } from "./message-heading.ts";
import { readSummary } from "./read-summary.ts";
import { replyFormOf } from "./reply-forms.ts";
import type { Utterance } from "./utterance.ts";

/** A prompt, taken apart by its headings. */
export interface ReadPrompt {
  readonly instructions: string;
  readonly form: string;
  /** What user and assistant said to each other, oldest first. */
  readonly conversation: readonly Utterance[];
  /** The words of the task, empty where there is none. */
  readonly task: string;
  readonly reports: readonly string[];
  readonly syntheses: readonly string[];
  readonly toolResults: readonly ToolMessage[];
}

type ToolMessage = Extract<ChatMessage, { readonly role: "tool" }>;

/** Takes a prompt apart. Nothing else reaches the offline model. */
export function readPrompt(messages: readonly ChatMessage[]): ReadPrompt {
  const instructions = messages.find(({ role }) => role === "system")?.content ?? "";
  return {
    instructions,
    form: replyFormOf(instructions),
    conversation: messages.flatMap(readUtterance),
    task: underHeading(messages, HEADINGS.task).at(-1) ?? "",
    reports: underHeading(messages, HEADINGS.final),
    syntheses: underHeading(messages, HEADINGS.synthesis),
    toolResults: messages.filter((message): message is ToolMessage => message.role === "tool"),
  };
}

function readUtterance(message: ChatMessage): readonly Utterance[] {
  const { role, content } = message;
  if (role === "user" && content.startsWith(HEADINGS.summary)) return readSummary(content);
  if (role === "system" || role === "tool" || hasHeading(content)) return [];
  if (role === "assistant" && message.toolCalls !== undefined) return [];
  return [{ speaker: role, text: content }];
}

function hasHeading(content: string): boolean {
  return Object.values(HEADINGS).some((heading) => content.startsWith(heading));
}

function underHeading(messages: readonly ChatMessage[], heading: string): readonly string[] {
  return messages
    .filter(({ role, content }) => role === "user" && content.startsWith(heading))
    .map(({ content }) => content.slice(content.indexOf("\n") + 1));
}
