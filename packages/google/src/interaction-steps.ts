import type { HistoryEntry, Viewer } from "@agent-history/core";
import {
  faultsFor,
  forReader,
  portableWeight,
  readConversation,
  readMessage,
  requireMessages,
  writeMessages,
} from "@agent-history/format-kit";
import type { ConversationCache, TargetFormat, WireFault } from "@agent-history/format-kit";

import { readInstruction } from "./from-contents.ts";
import type { FromContentsOptions } from "./from-contents.ts";
import type { GoogleRuleOptions } from "./google-rules.ts";
import { interactionRules } from "./interaction-rules.ts";
import type { InteractionStep, InteractionStepLike } from "./interaction-step.ts";
import { messageAt, stepFormat, stepsOf } from "./internal/step-format.ts";
import { foreignStepContent, STEP_FORMAT } from "./internal/step-parts.ts";

const cache: ConversationCache = [];

/**
 * Converts steps of Gemini's Interactions API to entries, so that `toInteractionSteps` restores the same steps, unknown fields and unknown kinds included. Linear.
 *
 * Neighboring steps of an answer (thoughts, outputs, calls, what the API ran itself) are one `action`, or without calls one `assistant_message`; a `function_result` is an
 * `observation`. Thoughts are carried whole, with their signatures.
 *
 * Without `newId`, ids come from position and text, as those of `fromContents` do: pass the whole conversation at each call, longer each time.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `steps` is not a list: a text is `[{ type: "user_input", content: [{ type: "text", text }] }]`.
 *
 * @example
 * ```ts
 * import { fromInteractionSteps } from "@agent-history/google";
 *
 * const entries = fromInteractionSteps([
 *   { type: "user_input", content: [{ type: "text", text: "To Rome, please." }] },
 *   { type: "thought", signature: "UQ==" },
 *   { type: "function_call", id: "c1", name: "find", arguments: { to: "Rome" } },
 *   { type: "function_result", call_id: "c1", name: "find", result: "Two flights." },
 * ]);
 * entries.map(({ type }) => type);
 * // => ["user_message", "action", "observation"]
 * ```
 */
export function fromInteractionSteps(
  steps: readonly InteractionStepLike[],
  options: FromContentsOptions = {},
): readonly HistoryEntry[] {
  requireMessages(steps);
  const { systemInstruction, ...stamp } = options;
  const entries = readConversation(cache, {
    messages: steps,
    options: stamp,
    read: (index, waiting) => {
      const [message, length] = messageAt(steps, index);
      const read = readMessage(stepFormat, message, { ...stamp, index, waiting });
      return { messages: steps.slice(index, index + length), entries: read };
    },
  });
  if (systemInstruction === undefined) return entries;
  return [...readInstruction(systemInstruction, stamp, STEP_FORMAT), ...entries];
}

/**
 * Converts entries to steps of Gemini's Interactions API, in their order: what came as such steps comes back as it was, with what it says now. Linear. A `systemInstruction` is left out,
 * because the request sends it as `system_instruction`.
 *
 * @param viewer - Whose prompt it is.
 *
 * @example
 * ```ts
 * import { action, observation } from "@agent-history/core";
 * import { toInteractionSteps } from "@agent-history/google";
 *
 * const call = { id: "c1", name: "find", arguments: '{"to":"Rome"}' };
 * const said = { callId: "c1", toolName: "find", outcome: "success", content: "Two flights." } as const;
 * toInteractionSteps([action({ toolCalls: [call] }), observation(said)]);
 * // => [
 * //   { type: "function_call", id: "c1", name: "find", arguments: { to: "Rome" } },
 * //   { type: "function_result", call_id: "c1", name: "find", result: "Two flights." },
 * // ]
 * ```
 */
export function toInteractionSteps(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): InteractionStep[] {
  const steps = stepsOf(writeMessages(stepFormat, entries, { viewer }));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a step goes out as one, whatever its provider put there
  return steps as InteractionStep[];
}

/** Returns what the Interactions API takes, and what an entry costs there. */
export function interactionTarget(options: GoogleRuleOptions = {}): TargetFormat {
  const target: TargetFormat = {
    rules: interactionRules(options),
    weigh: portableWeight(STEP_FORMAT, foreignStepContent),
    request: (entries, { viewer }) => ({ input: toInteractionSteps(entries, viewer) }),
  };
  return forReader(target, options);
}

/** Finds what the Interactions API would refuse in steps, by rule and place: as `checkContents` does in contents. Linear. */
export function checkInteractionSteps(
  steps: readonly InteractionStepLike[],
  {
    systemInstruction,
    ...options
  }: GoogleRuleOptions & Pick<FromContentsOptions, "systemInstruction"> = {},
): readonly WireFault[] {
  const read = systemInstruction === undefined ? {} : { systemInstruction };
  return faultsFor(interactionTarget(options), fromInteractionSteps(steps, read));
}
