import * as anthropic from "@agent-history/anthropic";
import { HistoryError } from "@agent-history/core";
import type { WireFault } from "@agent-history/format-kit";
import * as google from "@agent-history/google";
import * as openai from "@agent-history/openai";

/** The API that the messages are for, and the options that select its rules. */
export type CheckMessagesOptions =
  | ({ readonly for: "anthropic" } & anthropic.AnthropicRuleOptions)
  | ({ readonly for: "google" | "google-interactions" } & google.GoogleRuleOptions)
  | ({ readonly for: "openai-chat" | "openai-responses" } & openai.OpenAIRuleOptions);

/**
 * Finds what a provider would refuse in messages, by rule and position, with the repair that a fit would make. Linear.
 * @throws `HistoryError` with code `INVALID_OPTION` if `for` is not a known API.
 *
 * @example
 * ```ts
 * import { checkMessages } from "agent-history";
 *
 * const messages = [
 *   { role: "user", content: "To Rome, please." },
 *   { role: "tool", tool_call_id: "c1", content: "Two flights." },
 * ];
 * checkMessages(messages, { for: "openai-chat" }).map(({ rule, index }) => `${rule} in messages[${index}]`);
 * // => ["pairing in messages[1]"]
 * ```
 */
export function checkMessages(
  messages: readonly object[],
  options: CheckMessagesOptions,
): readonly WireFault[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a message of another shape is reported as a fault
  const given = messages as readonly never[];
  switch (options?.for) {
    case "anthropic":
      return anthropic.checkAnthropicMessages(given, options);
    case "google":
      return google.checkContents(given, options);
    case "google-interactions":
      return google.checkInteractionSteps(given, options);
    case "openai-chat":
      return openai.checkChatMessages(given, options);
    case "openai-responses":
      return openai.checkResponseItems(given, options);
  }
  const { for: api }: Partial<CheckMessagesOptions> = options ?? {};
  const apis = "anthropic, google, google-interactions, openai-chat or openai-responses";
  throw new HistoryError(`Expected \`for\` to be ${apis}; got ${JSON.stringify(api)}.`, {
    code: "INVALID_OPTION",
    details: { option: "for" },
  });
}
