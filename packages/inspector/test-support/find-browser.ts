import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { unpackPackages } from "../../store-redis/test-support/servers/debian-packages.ts";

const run = promisify(execFile);
const CACHE = join(import.meta.dirname, "../../../node_modules/.cache/agent-history/browser");

/** Names the program of a Chromium, in place of whichever this machine has. */
const BROWSER_VARIABLE = "AGENT_HISTORY_BROWSER";

/** A Chromium, and where its libraries are, if the system does not know. */
export interface BrowserProgram {
  readonly kind: "program";
  readonly path: string;
  readonly libraryPath?: string;
}

export interface NoBrowserProgram {
  readonly kind: "none";
  readonly reason: string;
}

/**
 * Finds a Chromium: the one that the environment names, else one on the path, else Debian's, unpacked into the workspace's cache. Installs nothing and needs no rights.
 */
export async function findBrowser(): Promise<BrowserProgram | NoBrowserProgram> {
  const named = process.env[BROWSER_VARIABLE];
  if (named !== undefined) return { kind: "program", path: named };
  for (const path of ["google-chrome", "chromium", "chromium-headless-shell"]) {
    const found = await run("which", [path]).catch(() => undefined);
    const program = { kind: "program", path: found?.stdout.trim() ?? "" } as const;
    if (found !== undefined && (await starts(program))) return program;
  }
  try {
    return await unpackBrowser();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      kind: "none",
      reason: `No browser: none on the path; ${reason}. Install Chromium, or name one in ${BROWSER_VARIABLE}.`,
    };
  }
}

/** Processes that do this at the same time each unpack for themselves, and the first to be ready is kept. */
async function unpackBrowser(): Promise<BrowserProgram> {
  const kept = join(CACHE, `${process.platform}-${process.arch}`);
  const cached = programIn(kept);
  if (cached !== undefined && (await starts(cached))) return cached;
  await mkdir(CACHE, { recursive: true });
  const work = await mkdtemp(join(CACHE, "unpacking-"));
  try {
    await unpackPackages(work, { packages: ["chromium-headless-shell"] }).catch(
      (cause: unknown) => {
        throw new Error("Debian's packages cannot be fetched", { cause });
      },
    );
    await rename(join(work, "root"), kept).catch((error: unknown) => {
      if (!existsSync(kept)) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  const program = programIn(kept);
  if (program === undefined || !(await starts(program)))
    throw new Error("the unpacked Chromium does not start");
  return program;
}

function programIn(folder: string): BrowserProgram | undefined {
  const [path] = globSync("usr/lib/chromium/{chromium-headless-shell,headless_shell}", {
    cwd: folder,
  });
  if (path === undefined) return undefined;
  const libraries = globSync(["{usr/,}lib", "{usr/,}lib/*-linux-*{,/pulseaudio}"], { cwd: folder });
  const libraryPath = libraries.map((library) => join(folder, library)).join(":");
  return { kind: "program", path: join(folder, path), libraryPath };
}

async function starts({ path, libraryPath }: BrowserProgram): Promise<boolean> {
  const env = { ...process.env, ...(libraryPath && { LD_LIBRARY_PATH: libraryPath }) };
  const said = await run(path, ["--version"], { env }).catch(() => undefined);
  return said !== undefined;
}
