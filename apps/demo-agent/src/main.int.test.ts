import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { fakeServer } from "../test-support/fake-server.ts";
import { fixtureProject } from "../test-support/fixture-project.ts";
import { runDemo, runKilled } from "../test-support/run-demo.ts";

const PACKAGES = 60;

describe("the demo", () => {
  it("prints answers, headline and table, and writes a page", async () => {
    using project = fixtureProject(PACKAGES);
    const { code, output } = await runDemo(project.folder, ["--window", "6000", "--page"]);

    expect({ code, output }).toMatchObject({ code: 0 });
    const lines = output.split("\n");
    const result = lines.findIndex((line) =>
      line.startsWith(`${PACKAGES} of ${PACKAGES}, every call fits.`),
    );
    expect(lines[result]).toMatch(
      /Without: stopped at call \d+; stopped at call \d+; \d+ of 60\.$/,
    );
    const [, page = ""] = /^Page: (.*)$/m.exec(output) ?? [];
    const [, json = ""] =
      /id="data">([^<]*)</.exec(readFileSync(`${project.folder}/${page}`, "utf8")) ?? [];
    expect(json.length).toBeGreaterThan(1000);
  });

  it("goes on after kill -9, and comes to the whole result", async () => {
    using project = fixtureProject(PACKAGES);
    const { code, output } = await runKilled(project.folder, { kills: 2 });

    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringContaining(`\n${PACKAGES} of ${PACKAGES}, every call fits.`),
    });
  });

  it("runs on a server that streams, by the AI SDK", async () => {
    using project = fixtureProject(12);
    await using server = await fakeServer();
    const env = { OPENAI_BASE_URL: server.baseURL, AGENT_HISTORY_MODEL: "fake" };
    const { code, output } = await runDemo(project.folder, [], { env });

    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringContaining("fake · thread"),
    });
    // As the server reports: 80 of 100 tokens of each call from its cache. The teams on arrays do not run on a real model.
    expect(output).toMatch(/12 of 12, every call fits\.\n.*\n.*agent-history .* 3 of 3 .* 80%/);
    const [, calls = ""] = /3 of 3 +(\d+) /.exec(output) ?? [];
    const [, summaries = ""] = /and (\d+) for summaries/.exec(output) ?? [];
    expect(Number(calls) + Number(summaries)).toBe(server.requests());
  });
});

describe("the sources", () => {
  const root = fileURLToPath(new URL(".", import.meta.url));
  const files = globSync("**/*.ts", { cwd: root }).filter((file) => !file.endsWith(".test.ts"));
  const codeOf = (file: string): readonly string[] =>
    readFileSync(`${root}${file}`, "utf8")
      .split("\n")
      .filter((line) => !/^\s*(\/\/|\/?\*|$)/.test(line));

  it("import each stage, each store and the manager", () => {
    const code = files.flatMap(codeOf).join("\n");
    const names = [
      "filters",
      "postprocess",
      "tokens",
      "reducer",
      "compression",
      "history-manager",
      "ai-sdk",
      "inspector",
    ];
    for (const name of [...names, "store-sqlite", "store-redis", "store-postgres"]) {
      expect(code).toContain(`"@agent-history/${name}"`);
    }
  });

  it("stay an example that can be read in one sitting: 1,000 lines, and 300 of the scripted model", () => {
    const lines = (isScript: boolean): number =>
      files.filter((file) => file.startsWith("scripted") === isScript).flatMap(codeOf).length;

    expect(lines(false)).toBeLessThanOrEqual(1000);
    expect(lines(true)).toBeLessThanOrEqual(300);
  });
});
