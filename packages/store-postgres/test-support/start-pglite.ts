import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

import { PGlite } from "@electric-sql/pglite";

const CACHE = join(import.meta.dirname, "../../../node_modules/.cache/agent-history/pglite");

/**
 * Starts an empty PGlite: in-process Postgres with one connection.
 *
 * The first start creates the data folder, which takes four times as long as the rest, and stores it in the workspace's cache for later starts.
 */
export async function startPglite(): Promise<PGlite> {
  // The path contains the version.
  const program = createRequire(import.meta.url).resolve("@electric-sql/pglite");
  const kept = join(CACHE, `${createHash("sha256").update(program).digest("hex")}.tar.gz`);
  if (existsSync(kept)) return PGlite.create({ loadDataDir: zipped(await readFile(kept)) });
  const pglite = await PGlite.create();
  const data = await pglite.dumpDataDir("gzip");
  await mkdir(CACHE, { recursive: true });
  const work = join(CACHE, randomUUID());
  await writeFile(work, new Uint8Array(await data.arrayBuffer()));
  await rename(work, kept);
  return pglite;
}

function zipped(data: Uint8Array<ArrayBuffer>): Blob {
  return new Blob([data], { type: "application/x-gzip" });
}
