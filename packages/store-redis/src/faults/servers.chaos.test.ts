import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, it } from "vitest";

import { describeWithRedis } from "../../test-support/describe-with-redis.ts";
import { eventually } from "../../test-support/eventually.ts";
import { openClient } from "../../test-support/open-client.ts";
import { startRedisServer } from "../../test-support/servers/start-redis-server.ts";

await describeWithRedis("startRedisServer", () => {
  it("finds what was written again after SIGKILL", async () => {
    await using server = await startRedisServer({ appendonly: true, appendfsync: "always" });
    const { send, destroy } = await openClient({ urls: [server.url] });
    await send(["SET", "key", "value"]);
    await server.kill9();
    expect(server.pid()).toBeUndefined();
    await server.restart();
    expect(await send(["GET", "key"])).toBe("value");
    destroy();
  });

  it("leaves no process and no data behind when it is stopped", async () => {
    const server = await startRedisServer({ appendonly: true });
    const pid = server.pid() ?? 0;
    expect(isAlive(pid)).toBe(true);
    await server.stop();
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(server.dir)).toBe(false);
  });

  it("leaves no server and no data behind when the test's process is killed", async () => {
    const program = join(import.meta.dirname, "../../test-support/servers/server-owner.ts");
    const owner = fork(program, { execArgv: [] });
    const [told] = await once(owner, "message");
    const { pid, dir }: { readonly pid: number; readonly dir: string } = told;
    expect(isAlive(pid)).toBe(true);
    owner.kill("SIGKILL");
    await once(owner, "close");
    await eventually("the server is gone", () => !isAlive(pid) && !existsSync(dir));
  });

  it("keeps a data folder that was handed in", async () => {
    const dir = await mkdtemp(join(tmpdir(), "agent-history-kept-"));
    const server = await startRedisServer({ appendonly: true, dir });
    await server.stop();
    expect(await readdir(dir)).not.toEqual([]);
    await rm(dir, { recursive: true });
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
