/** Faults that the tables of wire rules do not repair yet, by what sends. What is repaired is deleted here; there is to be nothing left. */
const UNREPAIRED: readonly (readonly [sender: RegExp, faults: string])[] = [
  [/^toChatMessages/u, "file-not-pdf"],
  [/^Anthropic pages/u, "half-surrogate unanswered-server-call orphan-server-result"],
  [/^toAnthropicRequest of/u, "half-surrogate"],
  [/^Responses that/u, "reasoning-cut"],
  [
    /AI SDK/u,
    "unanswered-call threw no-message repaired not unanswered-server-call last-not-user odd-server-call-id system-misplaced",
  ],
  [
    /LangChain/u,
    "part-of-another-role missing-call-id duplicate-call-id threw empty-parts orphan-result unanswered-call repaired odd-call-id empty-content block-of-another-role second-result thinking-modified",
  ],
];

/** Returns whether a fault is known. */
export function unrepaired(sender: string, fault: string): boolean {
  const rule = /^refused: (.*)$/u.exec(fault)?.[1] ?? /^\w+/u.exec(fault)?.[0] ?? "";
  return UNREPAIRED.some(([name, faults]) => name.test(sender) && faults.split(" ").includes(rule));
}
