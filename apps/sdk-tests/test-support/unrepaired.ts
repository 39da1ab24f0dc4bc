/** Faults that the tables of wire rules do not repair yet, by what sends. What is repaired is deleted here; there is to be nothing left. */
const UNREPAIRED: readonly (readonly [sender: RegExp, faults: string])[] = [
  [/^toChatMessages/u, "file-not-pdf"],
  [/^Anthropic pages/u, "half-surrogate unanswered-server-call orphan-server-result"],
  [/^toAnthropicRequest of/u, "half-surrogate"],
  [/^Responses/u, "safety-check-pending unknown-item no-message reasoning-cut"],
  [/^Anthropic/u, "odd-server-call-id citations-of-some toolset-not-echoed no-message"],
  [
    /AI SDK/u,
    "odd-tool-name unanswered-call missing-call-id threw duplicate-item-id reasoning-alone no-message first-not-user unanswered-server-call thinking-at-end last-not-user thinking-modified odd-server-call-id system-misplaced orphan-result",
  ],
  [
    /LangChain/u,
    "empty-parts empty-content part-of-another-role odd-author-name missing-call-id duplicate-call-id odd-call-id threw odd-tool-name unanswered-call orphan-result no-message repaired first-not-user thinking-modified block-of-another-role second-result last-not-user thinking-at-end empty-text blank-text",
  ],
];

/** Returns whether a fault is known. */
export function unrepaired(sender: string, fault: string): boolean {
  const rule = /^refused: (.*)$/u.exec(fault)?.[1] ?? /^\w+/u.exec(fault)?.[0] ?? "";
  return UNREPAIRED.some(([name, faults]) => name.test(sender) && faults.split(" ").includes(rule));
}
