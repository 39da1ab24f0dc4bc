import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

import type { Measured, ResultTable, RunOptions } from "../harness.ts";
import { packed } from "../packed.ts";
import { peersFolder } from "../systems/all-systems.ts";

type Import = readonly [entry: string, exported: string];

const OURS: readonly Import[] = [
  ["@agent-history/reducer", "fitToWindow"],
  ["agent-history/openai", "fitChatMessages"],
  ["agent-history/anthropic", "fitAnthropicRequest"],
  ["agent-history/ai-sdk", "fitMiddleware"],
  ["@agent-history/history-manager", "createHistoryManager"],
  ["@agent-history/store-redis", "redisStore"],
];
const PEERS: readonly Import[] = [
  ["@langchain/core/messages", "trimMessages"],
  ["langchain", "summarizationMiddleware"],
  ["@mastra/core/processors", "TokenLimiterProcessor"],
  ["@context-chef/core", "ContextChef"],
  ["ai", "pruneMessages"],
  ["@langchain/redis", "RedisChatMessageHistory"],
  ["@mastra/redis", "RedisStore"],
];
/** tiktoken is WebAssembly beside the bundle; OpenTelemetry's API does nothing without an SDK. */
const NEVER = ["@opentelemetry/api", "tiktoken", "tiktoken/*"];

/** What an import adds to a bundle, and what a package's tarball weighs. */
export async function measureSizes({ withPeers }: RunOptions): Promise<Measured> {
  using own = packed();
  const imports: (readonly string[])[] = [];
  for (const one of OURS) imports.push(await importRow(one, own.folder));
  const tarballs = own.tarballs.map(({ name, size }) => [name, kilobytes(size)]);
  if (withPeers) {
    for (const one of PEERS) imports.push(await importRow(one, peersFolder));
    const names = new Set(PEERS.map(([entry]) => packageOf(entry)));
    for (const name of names) tarballs.push([name, kilobytes(tarballBytes(name))]);
  }
  const all = own.tarballs.reduce((sum, { size }) => sum + size, 0);
  return { tables: [importTable(imports), tarballTable(tarballs, all)] };
}

function importTable(rows: readonly (readonly string[])[]): ResultTable {
  return {
    title: "Size of an import",
    note: "Bundled with all that it imports; left out: peer dependencies, OpenTelemetry's API, tiktoken's WebAssembly, Node's own modules.",
    head: ["import", "minified", "gzipped"],
    rows,
  };
}

function tarballTable(rows: readonly (readonly string[])[], bytes: number): ResultTable {
  return {
    title: "Size of tarballs",
    note: `Packed, as npm downloads them, ${kilobytes(bytes)} for all of ours; left out: dependencies.`,
    head: ["package", "packed"],
    rows,
  };
}

async function importRow([entry, exported]: Import, folder: string): Promise<readonly string[]> {
  const manifest: { readonly peerDependencies?: object } = JSON.parse(
    readFileSync(join(folder, "node_modules", packageOf(entry), "package.json"), "utf8"),
  );
  const peers = Object.keys(manifest.peerDependencies ?? {});
  const { outputFiles } = await build({
    stdin: {
      contents: `export { ${exported} } from ${JSON.stringify(entry)}`,
      resolveDir: folder,
    },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    external: [
      ...peers.flatMap((peer) => [peer, `${peer}/*`]),
      ...builtinModules,
      "node:*",
      ...NEVER,
    ],
    logLevel: "silent",
    write: false,
  });
  const bytes = outputFiles[0]?.contents ?? new Uint8Array();
  const gzipped = gzipSync(bytes, { level: 9 }).length;
  return [`\`${exported}\` of \`${entry}\``, kilobytes(bytes.length), kilobytes(gzipped)];
}

/** Packed again from what is installed: the registry's own tarball is not there any more. */
function tarballBytes(name: string): number {
  const folder = realpathSync(join(peersFolder, "node_modules", name));
  const args = ["-cz", "--exclude", "node_modules", "-C", folder, "."];
  return execFileSync("tar", args, { maxBuffer: 2 ** 28 }).length;
}

function packageOf(entry: string): string {
  return entry.split("/", entry.startsWith("@") ? 2 : 1).join("/");
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toLocaleString("en", { maximumFractionDigits: 1 })} kB`;
}
