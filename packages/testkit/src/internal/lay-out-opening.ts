import type { HistoryEntry } from "@agent-history/core";

import type { AsideScript, AskScript, TurnScript } from "./history-script.ts";
import type { Unit } from "./interleave.ts";
import type { WorkScope, Scribe } from "./scribe.ts";

/** Writes down what begins a turn, for which room was taken, and what comes with it where there is more. */
export function layOutRequest(
  { asks, task }: TurnScript,
  scribe: Scribe,
  scope: WorkScope,
): readonly Unit[] {
  if (asks.length > 0) {
    return asks
      .filter((_, index) => index === 0 || scribe.take(1))
      .flatMap((ask) => layOutAsk(ask, scribe, scope));
  }
  const { content, extras } = task;
  const agent = scribe.cast.orchestrator;
  return [[{ ...scribe.stamp(scope, agent, extras), type: "task", content, agent }]];
}

function layOutAsk(ask: AskScript, scribe: Scribe, scope: WorkScope): readonly Unit[] {
  const { content, rendered, extras } = ask;
  const base = scribe.stamp(scope, undefined, extras);
  const shown = rendered === undefined ? {} : { rendered };
  const files = ask.attachments.filter(() => scribe.take(1));
  return [
    [{ ...base, type: "user_message", content, ...shown }],
    ...files.map((file): Unit => {
      const brought = scribe.stamp(scope, undefined, file.extras);
      return [{ ...brought, type: "attachment", messageId: base.id, content: file.content }];
    }),
  ];
}

/** Writes down what stands beside the work: for a turn, or before all. */
export function layOutAsides(
  asides: readonly AsideScript[],
  scribe: Scribe,
  scope: WorkScope,
): readonly Unit[] {
  return asides.filter(() => scribe.take(1)).map((aside) => [layOutAside(aside, scribe, scope)]);
}

function layOutAside(script: AsideScript, scribe: Scribe, scope: WorkScope): HistoryEntry {
  const { orchestrator, managers, workers } = scribe.cast;
  const agents = [orchestrator, ...managers, ...workers];
  const owner = script.owner === undefined ? undefined : agents[script.owner % agents.length];
  const writer = owner === undefined ? undefined : scribe.show(owner);
  const { kind, content, extras } = script;
  switch (kind) {
    case "system_message":
      return { ...scribe.stamp({}, writer, extras), type: kind, content };
    case "memory":
      return { ...scribe.stamp(scope, writer, extras), type: kind, content };
    case "summary": {
      const base = scribe.stamp({}, undefined, extras);
      return { ...base, type: kind, content, strategy: "provider", trust: "user" };
    }
  }
}
