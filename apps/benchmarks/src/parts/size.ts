import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

import type { ResultTable } from "../report/result-table.ts";

/** What one entry point weighs, bundled with all it imports. */
export interface SizeFigures {
  readonly entry: string;
  readonly minifiedBytes: number;
  readonly gzippedBytes: number;
}

const packagesFolder = fileURLToPath(new URL("../../../../packages/", import.meta.url));
/** Left out: peers, which the user chose, OpenTelemetry, which does nothing without an SDK, and what Node brings. */
const EXTERNAL = ["@opentelemetry/api", "zod", "redis", "ai", "openai", "vitest", "fast-check"];

/** Packs every package that is published, unpacks the tarballs side by side, and weighs each entry. */
export async function sizeOfOurs(): Promise<readonly SizeFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-size-"));
  try {
    const names = readdirSync(packagesFolder);
    for (const name of names) unpack(name, folder);
    const sizes: SizeFigures[] = [];
    for (const name of names) {
      for (const entry of entriesOf(join(folder, "node_modules", "@agent-history", name))) {
        sizes.push(await weigh(entry, folder));
      }
    }
    return sizes;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function unpack(name: string, folder: string): void {
  const target = join(folder, "node_modules", "@agent-history", name);
  const tarball = join(folder, `${name}.tgz`);
  const options = { cwd: join(packagesFolder, name), stdio: "pipe" } as const;
  execFileSync("pnpm", ["pack", "--out", tarball], options);
  execFileSync("mkdir", ["-p", target]);
  execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", target]);
}

function entriesOf(folder: string): readonly string[] {
  const manifest: {
    readonly name: string;
    readonly exports: Readonly<Record<string, string>>;
  } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return Object.keys(manifest.exports)
    .filter((path) => path !== "./package.json" && !path.startsWith("./testkit"))
    .map((path) => `${manifest.name}${path.slice(1)}`);
}

/** Weighs one entry, found from a folder, with everything it imports. */
export async function weigh(entry: string, folder: string, bundled: readonly string[] = []): Promise<SizeFigures> {
  const { outputFiles } = await build({
    stdin: { contents: `export * from ${JSON.stringify(entry)}`, resolveDir: folder },
    nodePaths: [fileURLToPath(new URL("../../../../node_modules", import.meta.url))],
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["import", "node"],
    external: [
      ...EXTERNAL.filter((name) => !bundled.includes(name)),
      ...builtinModules,
      "node:*",
      "tiktoken",
    ],
    logLevel: "silent",
    write: false,
  });
  const bytes = outputFiles[0]?.contents ?? new Uint8Array();
  return {
    entry,
    minifiedBytes: bytes.length,
    gzippedBytes: gzipSync(bytes, { level: 9 }).length,
  };
}

/** Draws what was found. */
export function sizeTable(figures: readonly SizeFigures[]): ResultTable {
  const kilobytes = (bytes: number): string =>
    `${(bytes / 1000).toLocaleString("en", { maximumFractionDigits: 1 })} kB`;
  return {
    title: "Size: what an import adds to a bundle",
    note: "Bundled with everything it imports, but for optional peers, OpenTelemetry's API and Node's own modules; ours from packed tarballs.",
    head: ["entry", "minified", "gzipped"],
    rows: figures.map(({ entry, minifiedBytes, gzippedBytes }) => [
      `\`${entry}\``,
      kilobytes(minifiedBytes),
      kilobytes(gzippedBytes),
    ]),
    figures,
  };
}
