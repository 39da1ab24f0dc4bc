import {
  action,
  assistantMessage,
  final,
  observation,
  task,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import * as fc from "fast-check";

import { THINGS } from "./growing-chat.ts";

const DEEDS = ["sold", "repaired", "painted", "borrowed", "lost", "found"];
const WISHES = ["Always answer in verse.", "Call me Ann.", "From now on, no lists."];
const STEPS = ["ask", "answer", "call", "tell", "wish", "report", "work"] as const;

/** The entries of an agent and its managers in one step of a conversation. */
export type Step = readonly HistoryEntry[];

/** Generates conversations step by step: messages contain words by which they can be found again, with calls and other agents between them. */
export function arbitraryToldHistory(): fc.Arbitrary<readonly Step[]> {
  const step = fc.record({
    kind: fc.oneof(fc.constantFrom(...STEPS), fc.constantFrom("ask", "answer", "call", "tell")),
    thing: fc.nat(),
    deed: fc.nat(),
    length: fc.constantFrom(0, 3, 20),
  });
  return fc
    .array(step, { minLength: 8, maxLength: 40 })
    .map((steps) => steps.map((one, nth) => entriesOf(one, nth)));
}

function entriesOf(
  {
    kind,
    thing: thingAt,
    deed: deedAt,
    length,
  }: { kind: (typeof STEPS)[number]; thing: number; deed: number; length: number },
  nth: number,
): Step {
  const thing = THINGS[thingAt % THINGS.length] ?? "";
  const deed = DEEDS[deedAt % DEEDS.length] ?? "";
  const fields = { id: `${kind}${nth}`, createdAtMs: 1 + nth * 40_000_000 };
  const said = `They ${deed} the ${thing}. ${`The ${thing} was old. `.repeat(length)}`;
  const worker = { id: "w1", role: "worker" } as const;
  const isOdd = nth % 2 === 1;
  switch (kind) {
    case "ask":
      return [userMessage({ ...fields, content: `Who ${deed} the ${thing}?` })];
    case "tell":
      return [
        userMessage({ ...fields, content: said }),
        assistantMessage({ ...fields, id: `told${nth}`, content: "Noted." }),
      ];
    case "wish":
      return [
        userMessage({ ...fields, content: WISHES[thingAt % WISHES.length] ?? "" }),
        assistantMessage({ ...fields, id: `heard${nth}`, content: "I will." }),
      ];
    case "answer":
      return [assistantMessage({ ...fields, content: said })];
    case "report":
      return [final({ ...fields, agent: worker, content: said })];
    case "work":
      return [
        task({ ...fields, agent: worker, from: { id: "boss", role: "manager" }, content: said }),
      ];
    case "call": {
      const call = { id: "c", name: "read", arguments: "{}" };
      const agent = isOdd ? { agent: worker } : {};
      const result = { callId: "c", toolName: "read", outcome: "success" } as const;
      return [
        action({ ...fields, ...agent, toolCalls: [call] }),
        observation({ ...fields, ...agent, ...result, id: `result${nth}`, content: said }),
      ];
    }
  }
}
