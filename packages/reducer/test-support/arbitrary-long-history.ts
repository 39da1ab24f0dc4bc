import {
  action,
  assistantMessage,
  observation,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import * as fc from "fast-check";

const length = fc.nat({ max: 60 });

/** Valid histories of many turns, with exchanges, system messages and pins anywhere. */
export function arbitraryLongHistory(): fc.Arbitrary<readonly HistoryEntry[]> {
  const turn = fc.record({
    question: length,
    results: fc.array(length, { maxLength: 3 }),
    answer: length,
    isPinned: fc.constantFrom(true, false, false, false),
    hasSystem: fc.constantFrom(true, false, false, false),
  });
  return fc
    .array(turn, { maxLength: 25 })
    .map((turns) =>
      turns.flatMap(({ question, results, answer, isPinned, hasSystem }, nth) => [
        ...(hasSystem ? [systemMessage({ id: `s${nth}`, content: "s" })] : []),
        userMessage({ id: `u${nth}`, content: "q".repeat(question), pinned: isPinned }),
        ...results.flatMap((result, call) => exchange(`${nth}-${call}`, "r".repeat(result))),
        assistantMessage({ id: `a${nth}`, content: "a".repeat(answer) }),
      ]),
    );
}

/** Long histories in which results are lost, late or without a call, or entries are duplicated. */
export function arbitraryBrokenLongHistory(
  options: { readonly withCopies?: boolean } = {},
): fc.Arbitrary<readonly HistoryEntry[]> {
  const breakage = fc.record({
    kind: fc.constantFrom("lose", "delay", ...(options.withCopies === true ? ["copy"] : [])),
    from: fc.nat(),
    to: fc.nat(),
  });
  return fc
    .tuple(arbitraryLongHistory(), fc.array(breakage, { maxLength: 4 }))
    .map(([entries, breakages]) =>
      breakages.reduce((broken, { kind, from, to }) => {
        const taken = from % (broken.length + 1);
        const later = taken + 1 + (to % (broken.length - taken + 1));
        const entry = broken[taken];
        const isResult = entry?.type === "observation" || entry?.type === "action";
        if (entry === undefined || (kind !== "copy" && !isResult)) return broken;
        const moved = kind === "lose" ? broken : broken.toSpliced(later, 0, entry);
        return kind === "copy" ? moved : moved.toSpliced(taken, 1);
      }, entries),
    );
}

function exchange(id: string, content: string): readonly HistoryEntry[] {
  const fields = { callId: id, toolName: "read", outcome: "success", content } as const;
  return [
    action({ id: `x${id}`, toolCalls: [{ id, name: "read", arguments: "{}" }] }),
    observation({ id: `o${id}`, ...fields }),
  ];
}
