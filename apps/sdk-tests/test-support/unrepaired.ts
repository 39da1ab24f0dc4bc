import { anthropicWire } from "../src/servers/anthropic-wire.ts";
import { openaiChatWire } from "../src/servers/openai-chat-wire.ts";
import { openaiResponsesWire } from "../src/servers/openai-responses-wire.ts";
import type { Wire } from "../src/servers/wire.ts";

/** Faults that the tables of wire rules do not repair yet. A fault that is repaired is deleted here. */
const UNREPAIRED: readonly (readonly [Wire, string])[] = [
  [
    openaiChatWire,
    "empty-parts unknown-field part-of-another-role unanswered-call empty-content odd-tool-name missing-call-id duplicate-call-id odd-author-name file-not-pdf orphan-result unknown-role arguments-not-text half-surrogate long-call-id empty-calls",
  ],
  [
    openaiResponsesWire,
    "unknown-field odd-item-id empty-content safety-check-pending duplicate-item-id reasoning-alone unknown-item trigger-not-last missing-output part-of-another-role odd-call-id odd-tool-name unknown-kind long-item-id reasoning-cut orphan-result duplicate-call-id half-surrogate unanswered-call arguments-not-text reasoning-without-summary reasoning-not-stored output-not-screenshot orphan-approval unknown-role",
  ],
  [
    anthropicWire,
    "thinking-at-end thinking-without-signature last-not-user odd-server-call-id breakpoint-ttl-order thinking-modified duplicate-call-id too-many-breakpoints toolset-not-echoed citations-of-some half-surrogate odd-tool-name unknown-media second-result breakpoint-on-thinking unknown-field unanswered-call error-not-text orphan-result results-not-first unknown-block block-of-another-role system-misplaced orphan-server-result unanswered-server-call odd-call-id empty-text blank-text",
  ],
];

/** Returns whether a fault is known. */
export function unrepaired(wire: Wire, fault: string): boolean {
  const [, rules = ""] = UNREPAIRED.find(([one]) => one === wire) ?? [];
  return (
    /^(words lost|repaired twice|prefix changed|speech)/u.test(fault) ||
    rules.split(" ").includes(fault.replace("refused: ", ""))
  );
}
