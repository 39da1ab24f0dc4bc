import {
  blankText,
  callIds,
  knownMessages,
  pairedCalls,
  portableWeight,
  uniqueCalls,
  wellFormedText,
} from "@agent-history/format-kit";
import type { TargetFormat, WireRule } from "@agent-history/format-kit";

import { modelFormat } from "./internal/model-format.ts";
import { isProviderCall } from "./internal/model-parts.ts";
import { foreignContent } from "./internal/write-model.ts";

const PROMPTS = "https://ai-sdk.dev/docs/reference/ai-sdk-core/model-message";

/** Returns what is refused of model messages, in the order in which it is repaired. */
export function modelRules(): readonly WireRule[] {
  return [
    wellFormedText("https://github.com/anthropics/claude-code/issues/56064"),
    knownMessages(PROMPTS),
    pairedCalls(PROMPTS, isProviderCall),
    callIds({ source: PROMPTS, isTaken: (id) => /^[\w-]{1,64}$/.test(id) }),
    uniqueCalls(PROMPTS),
    blankText(PROMPTS, modelFormat.name),
  ];
}

/** What the AI SDK and its providers take, and what an entry costs there: `fitForTarget` of `@agent-history/format-kit` fits for it. */
export const modelTarget: TargetFormat = {
  rules: modelRules(),
  weigh: portableWeight(modelFormat.name, foreignContent),
};
