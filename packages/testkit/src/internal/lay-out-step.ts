import type { ActionEntry, Agent, Content, ObservationEntry, ToolCall } from "@agent-history/core";

import type { ExchangeScript, NoteScript, StepScript } from "./history-script.ts";
import type { Unit } from "./interleave.ts";
import type { WorkScope, Scribe } from "./scribe.ts";

/** Tells how many entries a step takes. */
function stepSize(step: StepScript): number {
  if (step.kind !== "exchange") return 1;
  const { script, inner = [] } = step;
  return [script, ...inner].reduce((sum, { calls }) => sum + 1 + calls.length, 0);
}

/** Writes down what an agent does: the steps there is room for. */
export function layOutSteps(
  steps: readonly StepScript[],
  scribe: Scribe,
  scope: WorkScope,
  agent: Agent,
): readonly Unit[] {
  return steps
    .filter((step) => scribe.take(stepSize(step)))
    .map((step) => layOutStep(step, scribe, scope, agent));
}

function layOutStep(step: StepScript, scribe: Scribe, scope: WorkScope, agent: Agent): Unit {
  const writer = scribe.show(agent);
  switch (step.kind) {
    case "exchange":
      return layOutNested(step, scribe, scope, writer);
    case "error":
    case "global_observation":
      return [
        {
          ...scribe.stamp(scope, writer, step.script.extras),
          ...(step.kind === "error" ? {} : sourcesOf(step.script, scribe)),
          type: step.kind,
          content: step.script.content,
        },
      ];
  }
}

/** Writes down an exchange whose last call calls others before it is answered. */
function layOutNested(
  { script, inner = [] }: Extract<StepScript, { readonly kind: "exchange" }>,
  scribe: Scribe,
  scope: WorkScope,
  writer: Agent | undefined,
): Unit {
  const [action, ...observations] = layOutExchange(script, scribe, scope, writer);
  const last = observations.at(-1);
  if (last === undefined || inner.length === 0) return [action, ...observations];
  const { callId: callerId } = last;
  const called = inner.flatMap((one) => {
    const fresh = { ...one, calls: one.calls.map((call) => ({ ...call, reusesId: false })) };
    const [first, ...results] = layOutExchange(fresh, scribe, scope, writer);
    const toolCalls = first.toolCalls.map((call) => ({ ...call, callerId }));
    return [{ ...first, toolCalls }, ...results];
  });
  return [action, ...observations.slice(0, -1), ...called, last];
}

/** Writes down an action and what answers it. */
function layOutExchange(
  script: ExchangeScript,
  scribe: Scribe,
  scope: WorkScope,
  writer: Agent | undefined,
): readonly [ActionEntry, ...ObservationEntry[]] {
  const action = layOutAction(script, scribe, scope, writer);
  return [action, ...layOutObservations(action, script, scribe, scope, writer)];
}

/** Writes down an action whose calls nobody answers. */
export function layOutAction(
  { content, calls, extras }: ExchangeScript,
  scribe: Scribe,
  scope: WorkScope,
  writer: Agent | undefined,
): ActionEntry {
  const toolCalls: ToolCall[] = [];
  for (const { call, reusesId } of calls) {
    const isFree = toolCalls.every((other) => other.id !== call.id);
    toolCalls.push({ ...call, id: reusesId && isFree ? call.id : scribe.newCallId() });
  }
  return {
    ...scribe.stamp(scope, writer, extras),
    type: "action",
    ...(content === undefined ? {} : { content }),
    toolCalls,
  };
}

function layOutObservations(
  action: ActionEntry,
  { calls }: ExchangeScript,
  scribe: Scribe,
  scope: WorkScope,
  writer: Agent | undefined,
): readonly ObservationEntry[] {
  const answered = calls.flatMap((script, index) => {
    const call = action.toolCalls[index];
    return call === undefined ? [] : [{ call, script }];
  });
  const observations: ObservationEntry[] = [];
  for (const { call, script } of answered.toSorted((a, b) => a.script.rank - b.script.rank)) {
    observations.push({
      ...scribe.stamp(scope, writer, script.result.extras),
      ...sourcesOf(script.result, scribe),
      ...(script.namesAction ? { actionId: action.id } : {}),
      type: "observation",
      callId: call.id,
      toolName: call.name,
      outcome: script.outcome,
      content: script.result.content,
    });
  }
  return observations;
}

/** Returns the evidence of a note as a field. */
export function sourcesOf(
  { sources }: NoteScript,
  scribe: Scribe,
): Pick<ObservationEntry, "sources"> {
  return sources === undefined ? {} : { sources: scribe.sources(sources) };
}

/** Returns the content of a note, with its evidence cited. */
export function citingContent({ content, sources }: NoteScript, scribe: Scribe): Content {
  if (typeof content !== "string" || sources === undefined) return content;
  return [content, ...scribe.sources(sources).map(({ number }) => `[source${number}]`)].join(" ");
}
