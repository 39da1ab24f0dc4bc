/** Faults that the tables of wire rules do not repair yet, by what sends. What is repaired is deleted here; there is to be nothing left. */
const UNREPAIRED: readonly (readonly [sender: RegExp, faults: string])[] = [
  // 35 of 12,000.
  [/^chat completions/u, "repaired"],
  // 7 of 12,000.
  [/^Anthropic$/u, "last-not-user"],
  // 1 of 8,000.
  [/^Responses that/u, "reasoning-cut"],
  [/^Anthropic pages/u, "citations-of-some unanswered-server-call orphan-server-result"],
  [/^toAnthropicRequest$/u, "error-not-text"],
  [/LangChain.*ChatAnthropic/u, "blank-text"],
];

/** Returns whether a fault is known. */
export function unrepaired(sender: string, fault: string): boolean {
  const rule = /^refused: (.*)$/u.exec(fault)?.[1] ?? /^\w+/u.exec(fault)?.[0] ?? "";
  return UNREPAIRED.some(([name, faults]) => name.test(sender) && faults.split(" ").includes(rule));
}
