import { messageRole } from "@agent-history/core";
import type { HistoryEntry, Viewer } from "@agent-history/core";
import { plainText, shownContent, writeParts } from "@agent-history/format-kit";

import type { GoogleContent, GooglePart } from "./google-content.ts";
import type { InteractionStep } from "./interaction-step.ts";
import { toInteractionSteps } from "./interaction-steps.ts";
import { googleFormat } from "./internal/google-format.ts";
import { foreignContent, googleParts } from "./internal/google-parts.ts";
import { toContents } from "./to-contents.ts";

/** What stands in a request: `ai.models.generateContent({ model, contents, config: { systemInstruction } })`. */
export interface GoogleRequest {
  readonly contents: GoogleContent[];
  /** The system messages that begin the conversation; without any there is none. */
  readonly systemInstruction?: { readonly parts: GooglePart[] };
}

/**
 * Converts entries to contents and the instructions that begin the conversation, for requests whose instructions are entries too. Changes nothing else; `fitContents` repairs. Linear.
 *
 * @param viewer - Whose prompt it is.
 *
 * @example
 * ```ts
 * import { systemMessage, userMessage } from "@agent-history/core";
 * import { toGoogleRequest } from "@agent-history/google";
 *
 * const entries = [systemMessage({ content: "You book flights." }), userMessage({ content: "To Rome." })];
 * toGoogleRequest(entries);
 * // => {
 * //   contents: [{ role: "user", parts: [{ text: "To Rome." }] }],
 * //   systemInstruction: { parts: [{ text: "You book flights." }] },
 * // }
 * ```
 */
export function toGoogleRequest(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): GoogleRequest {
  const leading = leadingInstructions(entries, viewer);
  const parts = leading.flatMap((entry) => {
    const isOwn = entry.origin?.format === googleFormat.name;
    const shown = shownContent(entry) ?? "";
    return writeParts(isOwn ? shown : foreignContent(shown), googleParts, isOwn);
  });
  const contents = toContents(entries.slice(leading.length), viewer);
  if (parts.length === 0) return { contents };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as parts goes out as such, whatever its provider put there
  return { contents, systemInstruction: { parts: parts as readonly object[] as GooglePart[] } };
}

/** What stands in a request: `ai.interactions.create({ model, store: false, input, system_instruction })`. */
export interface InteractionRequest {
  readonly input: InteractionStep[];
  /** The texts of the system messages that begin the conversation; without any there is none. */
  readonly system_instruction?: string;
}

/** Converts entries to steps and the instructions that begin the conversation, as {@link toGoogleRequest} does to contents. */
export function toInteractionRequest(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): InteractionRequest {
  const leading = leadingInstructions(entries, viewer);
  const text = leading.map((entry) => plainText(shownContent(entry))).join("\n\n");
  const input = toInteractionSteps(entries.slice(leading.length), viewer);
  return { input, ...(text !== "" && { system_instruction: text }) };
}

function leadingInstructions(
  entries: readonly HistoryEntry[],
  viewer: Viewer,
): readonly HistoryEntry[] {
  const start = entries.findIndex((entry) => messageRole(entry, viewer) !== "system");
  return start < 0 ? entries : entries.slice(0, start);
}
