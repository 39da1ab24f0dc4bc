import type { HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";

import { summaryModelOf } from "../src/ask.ts";
import type { ModelCall, Models, Team } from "../src/ask.ts";
import { meter } from "../src/compare.ts";
import type { Figures } from "../src/compare.ts";
import { scriptedModels } from "../src/environment.ts";
import type { Windows } from "../src/environment.ts";
import { openHistory } from "../src/history.ts";
import { cutsFor, naiveTeam } from "../src/naive.ts";
import { answer } from "../src/orchestrator.ts";
import { runSession } from "../src/session.ts";
import type { Answer } from "../src/session.ts";
import { auditTools } from "../src/tools.ts";
import { installedLicences } from "../src/truth.ts";

/** A run of the session in this process. */
export interface TeamRun {
  readonly figures: Figures;
  readonly answers: readonly Answer[];
  readonly calls: readonly ModelCall[];
  readonly store: HistoryStore;
}

export interface TeamRunOptions {
  readonly tokens: number;
  readonly store?: HistoryStore;
  readonly models?: Models;
  readonly onCall?: Team["onCall"];
  /** The way of cutting; without one the team uses agent-history. */
  readonly cut?: string;
}

export const THREAD = "audit";

/** Runs the session as `main` does, without a screen. */
export async function runTeam(folder: string, options: TeamRunOptions): Promise<TeamRun> {
  const { tokens, store = memoryStore(), models, cut } = options;
  const windows = windowsOf(tokens);
  const answers: Answer[] = [];
  const calls: ModelCall[] = [];
  const gauge = meter(cut ?? "agent-history", installedLicences(folder) ?? []);
  const { entries } = await store.read(THREAD, { originals: true });
  const team: Team = {
    modelOf: models ?? scriptedModels(windows),
    tools: auditTools(folder),
    written: new Map(entries.map((entry) => [entry.id, entry])),
    onCall: async (call) => {
      gauge.onCall(call);
      calls.push(call);
      await options.onCall?.(call);
    },
  };
  const way = cut === undefined ? undefined : cutsFor(windows)[cut];
  const thread = openHistory({
    store,
    threadId: THREAD,
    windows,
    summarize: summaryModelOf(team),
  });
  const answerer =
    way === undefined
      ? (question: Parameters<typeof answer>[0]) => answer(question, thread, team)
      : naiveTeam(way, team);
  const figures = await gauge.run(() =>
    runSession(answerer, (given) => {
      gauge.onAnswer(given);
      answers.push(given);
    }),
  );
  return { figures, answers, calls, store };
}

export function windowsOf(contextTokens: number): Windows {
  const window = { contextTokens, outputReserveTokens: Math.floor(contextTokens / 8) };
  return { orchestrator: window, manager: window, worker: window };
}
