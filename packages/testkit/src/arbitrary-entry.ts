import type {
  Agent,
  EntryBase,
  EntryOf,
  EntryType,
  HistoryEntry,
  HistoryView,
  PhaseId,
  SummaryPart,
} from "@agent-history/core";
import { ENTRY_TYPES } from "@agent-history/core";
import * as fc from "fast-check";

import { arbitraryContent } from "./arbitrary-content.ts";
import { arbitraryId } from "./arbitrary-id.ts";
import type { TextConstraints } from "./arbitrary-text.ts";
import type { Arbitraries, OptionalFields } from "./internal/arbitrary-parts.ts";
import {
  arbitraryFields,
  arbitraryJsonObject,
  arbitraryJsonValue,
  arbitrarySource,
  arbitraryToolCall,
  arbitraryToolName,
} from "./internal/arbitrary-parts.ts";

/** Which entries to generate. */
export interface EntryConstraints<Type extends EntryType = EntryType> {
  /** Only this type. Default: every type, equally often. */
  readonly type?: Type;
  /** Which optional fields are set. Default `some`. */
  readonly optional?: "all" | "some" | "none";
  /** The texts. */
  readonly text?: TextConstraints;
}

/**
 * Generates single well-typed entries: ids may repeat, and references have no target.
 *
 * @example
 * ```ts
 * import { arbitraryEntry } from "@agent-history/testkit";
 * import * as fc from "fast-check";
 *
 * const actions = fc.sample(arbitraryEntry({ type: "action", optional: "all" }), 100);
 * actions.every((action) => action.toolCalls.length > 0 && action.turnId !== undefined);
 * // => true
 * ```
 */
export function arbitraryEntry<Type extends EntryType = EntryType>(
  constraints?: EntryConstraints<Type>,
): fc.Arbitrary<EntryOf<Type>>;
export function arbitraryEntry(constraints: EntryConstraints = {}): fc.Arbitrary<HistoryEntry> {
  const { type, optional = "some", text = {} } = constraints;
  const arbitraries = entryArbitraries(optional, text);
  if (type !== undefined) return arbitraries[type];
  return fc.oneof(...ENTRY_TYPES.map((each) => arbitraries[each]));
}

/** Generates phase ids: numbers, texts, and pairs that differ only in their type, `1` and `"1"`. */
const arbitraryPhaseId: fc.Arbitrary<PhaseId> = fc.constantFrom<PhaseId[]>(
  1,
  2,
  3,
  0,
  -1,
  1.5,
  "1",
  "2",
  "",
  "research",
  "phase 2",
  "__proto__",
  "🔍",
);

type EntryArbitraries = { readonly [Type in EntryType]: fc.Arbitrary<EntryOf<Type>> };

/** Returns the arbitrary of each entry type. */
function entryArbitraries(which: OptionalFields, text: TextConstraints): EntryArbitraries {
  const content = arbitraryContent(text);
  const sources = fc.array(arbitrarySource(text), { maxLength: 3 });
  const only = <Type extends EntryType>(type: Type) => ({
    ...required,
    type: fc.constant(type),
    content,
  });
  const plain = <Type extends EntryType>(type: Type) =>
    arbitraryFields(which, only(type), optional);
  return {
    system_message: plain("system_message"),
    user_message: arbitraryFields(which, only("user_message"), { ...optional, rendered: content }),
    assistant_message: plain("assistant_message"),
    task: arbitraryFields(which, { ...only("task"), agent }, { ...optional, agent, from: agent }),
    action: arbitraryFields(
      which,
      {
        ...required,
        type: fc.constant("action"),
        toolCalls: fc.array(arbitraryToolCall(text), { minLength: 1, maxLength: 3 }),
      },
      { ...optional, content },
    ),
    observation: arbitraryFields(
      which,
      { ...only("observation"), callId: arbitraryId(), toolName: arbitraryToolName, outcome },
      { ...optional, actionId: arbitraryId(), sources },
    ),
    error: arbitraryFields(which, only("error"), {
      ...optional,
      errorType: fc.constantFrom("TimeoutError", ""),
    }),
    global_observation: arbitraryFields(which, only("global_observation"), {
      ...optional,
      sources,
    }),
    synthesis: plain("synthesis"),
    final: plain("final"),
    strategic_plan: plain("strategic_plan"),
    delegation: arbitraryFields(which, only("delegation"), { ...optional, to: agent }),
    summary: arbitraryFields(
      which,
      { ...only("summary"), strategy: fc.constantFrom("wholeHistory", "provider", ""), trust },
      { ...optional, view, covers, parts },
    ),
    memory: arbitraryFields(which, only("memory"), { ...optional, trust }),
    attachment: arbitraryFields(
      which,
      { ...only("attachment"), messageId: arbitraryId() },
      { ...optional, name: fc.constantFrom("a.pdf", "") },
    ),
    opaque: arbitraryFields(
      which,
      { ...required, type: fc.constant("opaque"), data: arbitraryJsonValue },
      { ...optional, content },
    ),
  };
}

const agent: fc.Arbitrary<Agent> = fc.record(
  { id: arbitraryId(), role: fc.constantFrom("orchestrator", "manager", "worker") },
  { noNullPrototype: true },
);

const outcome = fc.constantFrom("success", "error", "denied", "cancelled");

const trust = fc.constantFrom("user", "tool", "system");

const view: fc.Arbitrary<HistoryView> = fc.oneof(
  fc.constantFrom<HistoryView[]>("thread", "conversation"),
  arbitraryId().map((id): HistoryView => `agent:${id}`),
);

const covers = fc.array(
  fc.record({ from: arbitraryId(), to: arbitraryId() }, { noNullPrototype: true }),
  { maxLength: 2 },
);

const parts: fc.Arbitrary<readonly SummaryPart[]> = fc.array(
  arbitraryFields(
    "some",
    { kind: arbitraryId(), key: arbitraryId(), text: fc.string(), at: fc.nat() },
    { state: fc.constantFrom("ok", ""), note: fc.string() },
  ),
  { maxLength: 2 },
);

const required: Arbitraries<Pick<EntryBase, "id" | "createdAtMs">> = {
  id: arbitraryId(),
  createdAtMs: fc.nat({ max: 2 ** 45 }),
};

/** `leftOut` stands in prompts, not in logs. */
const optional: Arbitraries<Required<Omit<EntryBase, "id" | "createdAtMs" | "leftOut">>> = {
  turnId: arbitraryId(),
  phaseId: arbitraryPhaseId,
  taskId: arbitraryId(),
  agent,
  pinned: fc.boolean(),
  origin: arbitraryFields(
    "some",
    {
      format: fc.constantFrom("openai-chat", "anthropic"),
      message: arbitraryId(),
      index: fc.nat({ max: 9 }),
    },
    { derivedId: fc.boolean(), extra: arbitraryJsonObject },
  ),
  metadata: arbitraryJsonObject,
};
