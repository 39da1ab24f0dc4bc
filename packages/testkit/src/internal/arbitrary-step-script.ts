import type { Content } from "@agent-history/core";
import * as fc from "fast-check";

import { arbitraryContent } from "../arbitrary-content.ts";
import type { TextConstraints } from "../arbitrary-text.ts";
import type { HistoryConstraints } from "../history-constraints.ts";
import { arbitraryFields } from "./arbitrary-fields.ts";
import { arbitraryJsonObject } from "./arbitrary-json-object.ts";
import { arbitraryRecord } from "./arbitrary-record.ts";
import { arbitraryToolCall } from "./arbitrary-tool-call.ts";
import type {
  AsideScript,
  CallScript,
  ExchangeScript,
  Extras,
  NoteScript,
  StepScript,
} from "./history-script.ts";
import { sometimes } from "./sometimes.ts";

/** What the parts of a script are made from. */
export interface StepArbitraries {
  readonly content: fc.Arbitrary<Content>;
  readonly extras: fc.Arbitrary<Extras>;
  readonly note: fc.Arbitrary<NoteScript>;
  readonly aside: fc.Arbitrary<AsideScript>;
  readonly exchange: fc.Arbitrary<ExchangeScript>;
  readonly step: fc.Arbitrary<StepScript>;
}

/** Returns the arbitraries of what agents do and say. */
export function stepArbitraries(
  text: TextConstraints,
  { summaries = true, nestedCalls = false }: Pick<HistoryConstraints, "summaries" | "nestedCalls">,
): StepArbitraries {
  const content = arbitraryContent(text);
  const exchange = arbitraryExchangeScript(text);
  const note = arbitraryRecord<NoteScript>({ content, sources: someSources, extras });
  const aside = arbitraryRecord<AsideScript>({
    kind: fc.constantFrom("system_message", "memory", summaries ? "summary" : "memory"),
    owner: sometimes(30, fc.nat({ max: 7 }), undefined),
    content,
    sources: fc.constant(undefined),
    extras,
  });
  const nested = fc.record({
    kind: fc.constant("exchange" as const),
    script: exchange,
    inner: fc.array(exchange, { minLength: 1, maxLength: 2 }),
  });
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("exchange"), script: exchange }) },
    { weight: nestedCalls ? 4 : 0, arbitrary: nested },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constantFrom("error", "global_observation"), script: note }),
    },
  );
  return { content, extras, note, aside, exchange, step };
}

/** Generates exchanges: mostly of one call, up to three. */
function arbitraryExchangeScript(text: TextConstraints): fc.Arbitrary<ExchangeScript> {
  const content = arbitraryContent(text);
  const call = arbitraryRecord<CallScript>({
    call: arbitraryToolCall(text, fc.constantFrom("call_0", "call_1", "call_2")),
    reusesId: fc.boolean(),
    outcome: fc.constantFrom("success", "success", "error", "denied", "cancelled"),
    result: arbitraryRecord<NoteScript>({ content, sources: someSources, extras }),
    namesAction: fc.boolean(),
    rank: fc.nat({ max: 3 }),
  });
  const several = fc.array(call, { minLength: 1, maxLength: 3 });
  return arbitraryRecord<ExchangeScript>({
    content: sometimes(60, content, undefined),
    calls: fc.oneof({ weight: 3, arbitrary: fc.tuple(call) }, { weight: 1, arbitrary: several }),
    extras,
  });
}

/** One draw each: most entries carry none of these. */
const someSources: fc.Arbitrary<readonly number[] | undefined> = sometimes(
  30,
  fc.constantFrom([0], [1], [0, 1], [2, 0], [3, 4, 1], []),
  undefined,
);

const extras: fc.Arbitrary<Extras> = sometimes<Extras, Extras>(
  15,
  arbitraryFields(
    "some",
    {},
    {
      pinned: fc.boolean(),
      metadata: arbitraryJsonObject,
      format: fc.constantFrom("openai-chat", "anthropic"),
    },
  ),
  {},
);
