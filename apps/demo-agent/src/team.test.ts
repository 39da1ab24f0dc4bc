import { checkHistory } from "@agent-history/core/check";
import { describe, expect, it } from "vitest";

import { fixtureProject } from "../test-support/fixture-project.ts";
import { runTeam, THREAD, windowsOf } from "../test-support/run-team.ts";
import type { Models } from "./ask.ts";
import { scriptedModels } from "./environment.ts";
import { pageRecorder } from "./page.ts";

const TOKENS = 6000;
const PACKAGES = 60;

describe("the team", () => {
  it("finds each package in a window in which the same team on message arrays fails", async () => {
    using project = fixtureProject(PACKAGES);
    const { figures, answers, calls } = await runTeam(project.folder, { tokens: TOKENS });

    expect(figures).toMatchObject({ found: PACKAGES, right: 3 });
    expect(figures).not.toHaveProperty("error");
    expect(answers[1]?.text).toMatch(/GPL-3\.0-only \(1\): copyleft@2\.0\.0 \[source\d+\]/);
    // Of one of the two that are not permissive; `right` says that it is the one that was asked for.
    expect(answers[2]?.text).toMatch(/"(?:Mozilla|GNU GENERAL) P[A-Za-z ]+" \[source\d+\]$/);
    for (const { prompt, inputTokens } of calls) {
      // What the model counts is what was planned, within 5% and what tool schemas differ in.
      if (prompt) expect(inputTokens).toBeLessThan(prompt.plan.totalTokens * 1.05 + 150);
    }
  });

  it("keeps the prefix of an agent's prompts, by one figure: of the model, of the page and of the plans", async () => {
    using project = fixtureProject(PACKAGES);
    const recorder = pageRecorder();
    const { figures, calls, store } = await runTeam(project.folder, {
      tokens: 16_000,
      onCall: recorder.onCall,
    });
    const page = (await recorder.data(store, THREAD)).calls;
    const share = (same: readonly number[], all: readonly number[]): number =>
      same.reduce((sum, one) => sum + one, 0) / all.reduce((sum, one) => sum + one, 0);
    const inputs = calls.flatMap(({ inputTokens, isSummary }) => (isSummary ? [] : [inputTokens]));
    const reported = page.map(({ usage }) => usage?.cacheReadTokens ?? 0);
    const planned = page.map(({ change }) => change?.sameTokens ?? 0);

    expect(figures.unchanged).toBeGreaterThan(0.8);
    expect(share(reported, inputs)).toBeCloseTo(figures.unchanged, 10);
    // The counter of the plans counts what goes over the wire within a percent of the model.
    const totals = page.map(({ totalTokens }) => totalTokens);
    expect(share(planned, totals)).toBeCloseTo(figures.unchanged, 2);
  });

  it.each([
    ["whole arrays", /^400 context_length_exceeded/],
    ["last 10 messages", /^400 the first message must be the user's/],
  ])("stops on %s, with the error of a provider", async (cut, error) => {
    using project = fixtureProject(PACKAGES);
    const { figures } = await runTeam(project.folder, { tokens: TOKENS, cut });

    expect(figures.error).toMatch(error);
  });

  it("forgets what it read on the newest messages that fit", async () => {
    using project = fixtureProject(PACKAGES);
    const { figures } = await runTeam(project.folder, { tokens: TOKENS, cut: "newest that fit" });

    expect(figures.found).toBeLessThan(PACKAGES);
    expect(figures).not.toHaveProperty("error");
  });

  it("passes on whole arrays, too, where everything fits", async () => {
    using project = fixtureProject(12);
    const { figures } = await runTeam(project.folder, { tokens: 16_000, cut: "whole arrays" });

    expect(figures).toMatchObject({ found: 12, right: 3 });
  });

  it("goes on where a process ended, and asks for nothing twice", async () => {
    using project = fixtureProject(12);
    const whole = await runTeam(project.folder, { tokens: TOKENS });
    const { store } = await runTeam(project.folder, { tokens: TOKENS, models: failingAt(7) });
    const rest = await runTeam(project.folder, { tokens: TOKENS, store });

    expect(rest.answers).toEqual(whole.answers);
    // Six calls were answered.
    expect(rest.figures.inputs).toHaveLength(whole.figures.inputs.length - 6);
    const { entries } = await store.read(THREAD, { originals: true });
    expect(checkHistory(entries)).toEqual([]);
  });
});

/** The scripted models, of which the process "ends" at a call. */
function failingAt(call: number): Models {
  const models = scriptedModels(windowsOf(TOKENS));
  let calls = 0;
  return (role) => {
    calls += 1;
    if (calls >= call) throw new Error("killed");
    return models(role);
  };
}
