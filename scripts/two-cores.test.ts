import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { HistoryError, isHistoryError, userMessage } from "@agent-history/core";
import type * as coreContract from "@agent-history/core";
import type { HistoryEntry, TokenCounter } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { applyPlan, fitToWindow } from "@agent-history/reducer";
import type * as reducerContract from "@agent-history/reducer";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { rootFolder } from "./workspace-packages.ts";

// Where a project has two majors of core, their code is loaded twice: what passes from one to the other goes by its shape.

type Core = typeof coreContract;
type Reducer = typeof reducerContract;

const counter: TokenCounter = {
  id: "characters",
  countText: (text) => text.length,
  countEntry: (entry) => ("content" in entry ? JSON.stringify(entry.content ?? "").length : 0),
  countRequest: () => 0,
};
const window = { contextTokens: 400 };

describe("two copies of core in one process", () => {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-two-cores-"));
  let core: Core | undefined;
  let reducer: Reducer | undefined;

  beforeAll(async () => {
    symlinkSync(join(rootFolder, "node_modules"), join(folder, "node_modules"));
    const options = { recursive: true, verbatimSymlinks: true };
    for (const name of ["core", "reducer"]) {
      for (const part of ["src", "package.json", "node_modules"]) {
        const path = join("packages", name, part);
        cpSync(join(rootFolder, path), join(folder, path), options);
      }
    }
    core = await import(join(folder, "packages/core/src/index.ts"));
    reducer = await import(join(folder, "packages/reducer/src/index.ts"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("are two", () => {
    expect(core?.HistoryError).toBeTypeOf("function");
    expect(core?.HistoryError).not.toBe(HistoryError);
  });

  it("know each other's errors", () => {
    const theirs = new (core?.HistoryError ?? Error)("Too small.", { code: "WINDOW_TOO_SMALL" });
    const ours = new HistoryError("Too small.", { code: "WINDOW_TOO_SMALL" });

    expect(theirs).not.toBeInstanceOf(HistoryError);
    expect(isHistoryError(theirs, "WINDOW_TOO_SMALL")).toBe(true);
    expect(core?.isHistoryError(ours, "WINDOW_TOO_SMALL")).toBe(true);
  });

  it("go on from each other's plans, on each other's entries", () => {
    const history = chat(core?.userMessage ?? userMessage, 30);
    const first = fitToWindow(history, { window, counter });
    const newer = [...history, ...chat(userMessage, 31).slice(30)];

    const theirs = reducer?.fitToWindow(newer, { window, counter, previousPlan: first.plan });
    const again = fitToWindow(newer, { window, counter, previousPlan: first.plan });

    expect(first.entries.length).toBeLessThan(history.length);
    expect(theirs?.plan).toEqual(again.plan);
    expect(theirs?.entries).toEqual(again.entries);
    expect(checkHistory(theirs?.entries ?? [])).toEqual([]);
    expect(theirs && applyPlan(newer, theirs.plan)).toEqual(theirs?.entries);
  });
});

function chat(make: typeof userMessage, count: number): HistoryEntry[] {
  return Array.from({ length: count }, (_, index) =>
    make({ id: `u${index}`, createdAtMs: index, content: `Question ${index}: why is that so?` }),
  );
}
