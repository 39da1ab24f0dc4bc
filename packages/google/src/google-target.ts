import { faultsFor, forReader, portableWeight } from "@agent-history/format-kit";
import type { TargetFormat, WireFault } from "@agent-history/format-kit";

import { fromContents } from "./from-contents.ts";
import type { FromContentsOptions } from "./from-contents.ts";
import type { GoogleContentLike } from "./google-content.ts";
import { googleRules } from "./google-rules.ts";
import type { GoogleRuleOptions } from "./google-rules.ts";
import { foreignContent, GOOGLE_FORMAT } from "./internal/google-parts.ts";
import { toGoogleRequest } from "./to-google-request.ts";

/** Returns what Gemini's `generateContent` takes, and what an entry costs there: `fitForTarget` of `@agent-history/format-kit` fits for it. */
export function googleTarget(options: GoogleRuleOptions = {}): TargetFormat {
  const target: TargetFormat = {
    rules: googleRules(options),
    weigh: portableWeight(GOOGLE_FORMAT, foreignContent),
    request: (entries, { viewer }) => toGoogleRequest(entries, viewer),
  };
  return forReader(target, options);
}

/**
 * Finds what Gemini's `generateContent` would refuse in contents, by rule and place. Linear.
 *
 * @example
 * ```ts
 * import { checkContents } from "@agent-history/google";
 *
 * const faults = checkContents([
 *   { role: "user", parts: [{ text: "To Rome, please." }] },
 *   { role: "model", parts: [{ functionCall: { name: "find", args: {} } }] },
 * ]);
 * faults.map(({ rule, index }) => `${rule} in contents[${index}]`);
 * // => ["thought-signature in contents[1]", "pairing in contents[1]"]
 * ```
 */
export function checkContents(
  contents: readonly GoogleContentLike[],
  {
    systemInstruction,
    ...options
  }: GoogleRuleOptions & Pick<FromContentsOptions, "systemInstruction"> = {},
): readonly WireFault[] {
  const read = systemInstruction === undefined ? {} : { systemInstruction };
  return faultsFor(googleTarget(options), fromContents(contents, read));
}
