import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { GARDEN_FILES, temporaryFolder } from "@agent-history/offline-model/test-support";
import { describe, expect, it } from "vitest";

import { runCliHere } from "../test-support/run-cli-here.ts";

interface DrawnPage {
  readonly entries: readonly { readonly type: string }[];
  readonly calls: readonly {
    readonly agent: { readonly role: string };
    readonly runs: readonly unknown[];
  }[];
  readonly compactions: readonly { readonly covers: readonly unknown[] }[];
  readonly problems: readonly string[];
}

describe("--page", () => {
  it("draws each call of each role, and the summaries of the run, and says where", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    await using target = await temporaryFolder({});
    const path = join(target.path, "page.html");
    const { exitCode, output } = await runCliHere("--dir", garden.path, "--page", path);
    const page = await readFile(path, "utf8");
    const [, json = ""] =
      /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page) ?? [];
    const drawn: DrawnPage = JSON.parse(json);
    const [, calls] = /all (\d+) calls/.exec(output) ?? [];

    expect(exitCode).toBe(0);
    expect(output).toContain(`Inspect this thread: file://${path}\n`);
    expect(drawn.calls).toHaveLength(Number(calls));
    expect([...new Set(drawn.calls.map(({ agent }) => agent.role))].toSorted()).toEqual([
      "manager",
      "orchestrator",
      "worker",
    ]);
    expect(drawn.calls.every(({ runs }) => runs.length > 0)).toBe(true);
    expect(drawn.compactions.length).toBeGreaterThan(0);
    expect(drawn.compactions.every(({ covers }) => covers.length > 0)).toBe(true);
    expect(drawn.problems).toEqual([]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("fails in one line where the file cannot be written, after the answer", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const path = join(garden.path, "none", "page.html");
    const args = ["When is a tomato ripe?", "--dir", garden.path, "--page", path];
    const { exitCode, output, errors } = await runCliHere(...args);

    expect(exitCode).toBe(1);
    expect(output).toContain("comes off the stem");
    expect(output).not.toContain("Inspect this thread");
    expect(errors.trim().split("\n")).toHaveLength(1);
  });

  it("leaves no page of a thread that ends with the process, unless one is asked for", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const { output } = await runCliHere("When is a tomato ripe?", "--dir", garden.path);

    expect(output).not.toContain("Inspect this thread");
  });
});
