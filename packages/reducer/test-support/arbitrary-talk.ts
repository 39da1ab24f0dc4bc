import {
  action,
  assistantMessage,
  attachment,
  errorEntry,
  final,
  memory,
  observation,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import * as fc from "fast-check";

const KINDS = ["ask", "answer", "call", "note", "report", "upload", "recall"] as const;
const LENGTHS = [0, 10, 60, 300] as const;

/** Valid histories in unusual orders: greetings, unanswered requests, consecutive answers, notes between exchanges. */
export function arbitraryTalk(): fc.Arbitrary<readonly HistoryEntry[]> {
  const part = fc.record({
    // Make the usual parts of a chat frequent.
    kind: fc.oneof(fc.constantFrom(...KINDS), fc.constantFrom("ask", "answer", "call")),
    length: fc.constantFrom(...LENGTHS),
    isPinned: fc.constantFrom(true, ...Array.from({ length: 15 }, () => false)),
  });
  return fc
    .array(part, { maxLength: 40 })
    .map((parts) =>
      parts.flatMap(({ kind, length, isPinned }, nth) =>
        entriesOf(kind, { nth, length, isPinned }),
      ),
    );
}

function entriesOf(
  kind: (typeof KINDS)[number],
  {
    nth,
    length,
    isPinned,
  }: { readonly nth: number; readonly length: number; readonly isPinned: boolean },
): readonly HistoryEntry[] {
  const fields = { content: "x".repeat(length), ...(isPinned && { pinned: true }) };
  const agent = { id: nth % 2 === 0 ? "w1" : "w2", role: "worker" } as const;
  const id = `${kind}${nth}`;
  switch (kind) {
    case "ask":
      return [userMessage({ id, ...fields })];
    case "answer":
      return [assistantMessage({ id, ...fields })];
    case "note":
      return [errorEntry({ id, ...fields })];
    case "report":
      return [final({ id, agent, ...fields })];
    case "recall":
      return [memory({ id, ...fields })];
    case "upload":
      return [attachment({ id, messageId: "ask0", ...fields })];
    case "call": {
      const call = { id: "c", name: "read", arguments: "{}" };
      const result = { callId: "c", toolName: "read", outcome: "success" } as const;
      return [
        action({ id, toolCalls: [call] }),
        observation({ id: `result${nth}`, ...result, ...fields }),
      ];
    }
  }
}
