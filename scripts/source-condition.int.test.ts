import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { firstFailingTest } from "./first-failing-test.ts";
import { type ThrowAwayCopy, throwAwayCopy } from "./throw-away-copy.ts";
import { rootFolder } from "./workspace-packages.ts";

const edited = "packages/core/src/message-role.ts";
const tests = ["packages/openai/src/to-chat-messages.test.ts"];

describe("an edit in core", () => {
  let copy: ThrowAwayCopy | undefined;
  beforeAll(() => {
    // Without anything that was built.
    copy = throwAwayCopy();
    execFileSync("git", ["init", "--quiet"], { cwd: copy.folder });
    execFileSync("git", ["add", "packages", "package.json"], { cwd: copy.folder });
  });
  afterAll(() => copy?.remove());

  it("is seen by a dependent's tests without a build, and turbo runs them again", () => {
    const folder = copy?.folder ?? "";
    const hash = testHash(folder);
    expect(firstFailingTest(folder, tests)).toBe(undefined);

    const file = join(folder, edited);
    const source = readFileSync(file, "utf8");
    writeFileSync(file, source.replaceAll('return "user"', 'return "assistant"'));

    expect(readFileSync(file, "utf8")).not.toBe(source);
    expect(firstFailingTest(folder, tests)).toContain("to-chat-messages");
    expect(testHash(folder)).not.toBe(hash);
  });
});

/** What turbo takes for the state of the openai package's tests: the same means that it has the result already. */
function testHash(cwd: string): string {
  const options = ["run", "test", "--filter=@agent-history/openai", "--dry=json"];
  const { stdout, stderr } = spawnSync(join(rootFolder, "node_modules/.bin/turbo"), options, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" },
  });
  if (!stdout.startsWith("{")) throw new Error(`turbo says nothing: ${stderr}`);
  const { tasks }: { tasks: { taskId: string; hash: string }[] } = JSON.parse(stdout);
  return tasks.find(({ taskId }) => taskId === "@agent-history/openai#test")?.hash ?? "";
}
