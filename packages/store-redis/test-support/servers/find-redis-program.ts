import { execFile } from "node:child_process";
import { promisify } from "node:util";

import type { NoRedisProgram, RedisProgram } from "./redis-program.ts";
import { unpackDebianRedis } from "./unpack-debian-redis.ts";

const run = promisify(execFile);
const IMAGE = "redis:7";

let found: Promise<RedisProgram | NoRedisProgram> | undefined;

/**
 * Finds a redis-server: on the path, else Debian's packages unpacked into the workspace's cache, else Docker.
 *
 * Installs nothing and needs no rights. Looks once in a process.
 */
export function findRedisProgram(): Promise<RedisProgram | NoRedisProgram> {
  found ??= look();
  return found;
}

async function look(): Promise<RedisProgram | NoRedisProgram> {
  const failures: string[] = [];
  for (const attempt of [onPath, unpacked, inDocker]) {
    try {
      return await attempt();
    } catch (error) {
      failures.push(firstLine(error));
    }
  }
  const reason = `No redis-server: ${failures.join("; ")}. Install redis-server or valkey-server, or start Docker.`;
  return { kind: "none", reason };
}

async function onPath(): Promise<RedisProgram> {
  for (const path of ["redis-server", "valkey-server"]) {
    const starts = await run(path, ["--version"]).catch(() => undefined);
    if (starts !== undefined) return { kind: "binary", path };
  }
  throw new Error("none on the path");
}

async function unpacked(): Promise<RedisProgram> {
  return { kind: "binary", ...(await unpackDebianRedis()) };
}

async function inDocker(): Promise<RedisProgram> {
  await run("docker", ["info"]).catch(() => {
    throw new Error("Docker's daemon does not answer");
  });
  await run("docker", ["image", "inspect", IMAGE]).catch(() => run("docker", ["pull", IMAGE]));
  return { kind: "docker", image: IMAGE };
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}
