import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { GARDEN_FILES, temporaryFolder } from "@agent-history/offline-model/test-support";
import { describe, expect, it } from "vitest";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

describe("main", () => {
  it("is a program that ends with the code of the run", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const done = await start(["When is a tomato ripe?", "--dir", garden.path, "--store", "memory"]);
    const failed = await start(["Why?", "--dir", `${garden.path}/none`]);

    expect(done.exitCode).toBe(0);
    expect(done.output).toContain("comes off the stem");
    expect(failed.exitCode).toBe(1);
    expect(failed.output).toBe("");
  });

  it("ends in peace when nobody reads on", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const { exitCode, errors } = await start(["--dir", garden.path, "--store", "memory"], {
      isRead: false,
    });

    expect(errors).toBe("");
    expect(exitCode).toBe(0);
  });
});

interface Ended {
  readonly exitCode: unknown;
  readonly output: string;
  readonly errors: string;
}

async function start(args: readonly string[], { isRead = true } = {}): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let errors = "";
  if (isRead) child.stdout.on("data", (chunk) => (output += String(chunk)));
  else child.stdout.destroy();
  child.stderr.on("data", (chunk) => (errors += String(chunk)));
  const [exitCode] = await once(child, "close");
  return { exitCode, output, errors };
}
