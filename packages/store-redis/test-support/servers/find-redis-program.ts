import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { SERVER_NAMES } from "./redis-program.ts";
import type { NoRedisProgram, RedisProgram, ServerName } from "./redis-program.ts";
import { unpackDebianRedis } from "./unpack-debian-redis.ts";

const run = promisify(execFile);

const IMAGES = { "redis-7": "redis:7", "redis-8": "redis:8", "valkey-8": "valkey/valkey:8" };

/** Environment variable with the name of the server that all tests of a process use. Default: any that is available. */
export const SERVER_VARIABLE = "AGENT_HISTORY_REDIS_SERVER";

const found = new Map<ServerName | undefined, Promise<RedisProgram | NoRedisProgram>>();

/**
 * Finds a redis-server: on the path, else Debian's packages unpacked into the workspace's cache, else Docker. If a server is requested
 * by name or by the environment, uses the packages or Docker, in that version.
 *
 * Installs nothing and needs no privileges. The result is cached for the process.
 */
export function findRedisProgram(
  server: ServerName | undefined = namedByEnvironment(),
): Promise<RedisProgram | NoRedisProgram> {
  const known = found.get(server) ?? look(server);
  found.set(server, known);
  return known;
}

function namedByEnvironment(): ServerName | undefined {
  const name = process.env[SERVER_VARIABLE];
  const server = SERVER_NAMES.find((one) => one === name);
  if (name === undefined || server !== undefined) return server;
  throw new Error(`Expected ${SERVER_VARIABLE} to be one of ${SERVER_NAMES.join(", ")}.`);
}

async function look(server: ServerName | undefined): Promise<RedisProgram | NoRedisProgram> {
  const failures: string[] = [];
  for (const attempt of attemptsAt(server)) {
    try {
      return await attempt();
    } catch (error) {
      failures.push(firstLine(error));
    }
  }
  const name = server ?? "redis-server";
  const reason = `No ${name}: ${failures.join("; ")}. Install redis-server or valkey-server, or start Docker.`;
  return { kind: "none", reason };
}

function attemptsAt(server: ServerName | undefined): readonly (() => Promise<RedisProgram>)[] {
  const docker = (): Promise<RedisProgram> => inDocker(IMAGES[server ?? "redis-7"]);
  if (server === undefined) return [() => onPath(), () => unpackDebianRedis(), docker];
  if (server === "redis-7") return [() => onPath(7), () => ofVersion(7), docker];
  return [() => unpackDebianRedis(server), docker];
}

/** Checks the version, as the machine's own packages may have changed. */
async function ofVersion(major: number): Promise<RedisProgram> {
  const { path, libraryPath, ...others } = await unpackDebianRedis();
  const env = { ...process.env, ...(libraryPath && { LD_LIBRARY_PATH: libraryPath }) };
  const { stdout } = await run(path, ["--version"], { env });
  if (!isVersion(stdout, major)) throw new Error(`Debian's packages are not of version ${major}`);
  return { ...others, path, ...(libraryPath && { libraryPath }) };
}

async function onPath(major?: number): Promise<RedisProgram> {
  for (const path of ["redis-server", "valkey-server"]) {
    const starts = await run(path, ["--version"]).catch(() => undefined);
    if (starts === undefined) continue;
    if (major === undefined || isVersion(starts.stdout, major)) return { kind: "binary", path };
  }
  throw new Error("none on the path");
}

function isVersion(text: string, major: number): boolean {
  return text.includes(`Redis server v=${major}.`);
}

async function inDocker(image: string): Promise<RedisProgram> {
  await run("docker", ["info"]).catch(() => {
    throw new Error("Docker's daemon does not answer");
  });
  await run("docker", ["image", "inspect", image]).catch(() => run("docker", ["pull", image]));
  return { kind: "docker", image };
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}
