import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

import { packPackages } from "../../../../scripts/pack-packages.ts";
import type { Tarball } from "../../../../scripts/pack-packages.ts";
import { publishedPackages, rootFolder } from "../../../../scripts/workspace-packages.ts";
import { takeTurns, timed } from "../harness.ts";
import type { Measured, RunOptions } from "../harness.ts";
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

/** The root README's example. */
const FIRST_PROMPT = `
  const { fitChatMessages } = await import("agent-history/openai");
  fitChatMessages([
    { role: "system", content: "You answer in one sentence." },
    { role: "user", content: "What is the capital of France?" },
    { role: "assistant", content: "Paris is the capital of France. ".repeat(1000) },
    { role: "user", content: "And of Spain?" },
  ], { model: "gpt-4", tools: [] });`;
/** Promised: it takes at most this many milliseconds more than Node alone, in a new process. */
const MOST_MS = 150;

/** What an import adds to a bundle and to the start of a process, and what a package's tarball weighs. */
export async function measureSizes({ withPeers, isQuick }: RunOptions): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), "agent-history-packed-"));
  try {
    const packed = unpacked(folder);
    const imports = [
      ...OURS.map((one) => ({ one, cwd: folder })),
      ...(withPeers ? PEERS.map((one) => ({ one, cwd: peersFolder })) : []),
    ];
    const starts = [
      () => run("", folder),
      () => run(FIRST_PROMPT, folder),
      ...imports.map(
        ({ one: [entry], cwd }) =>
          () =>
            run(`await import("${entry}");`, cwd),
      ),
    ].map((start) => () => timed(start));
    const timings = await takeTurns(starts, isQuick ? 1 : 10);
    const [bareMs = 0, firstMs = 0, ...importMs] = timings.map(({ minMs }) => minMs);
    const rows: (readonly string[])[] = [];
    for (const [nth, { one, cwd }] of imports.entries()) {
      const sizes = await bundleSizes(one, cwd);
      const ms = ((importMs[nth] ?? 0) - bareMs).toFixed(0);
      rows.push([`\`${one[1]}\` of \`${one[0]}\``, ...sizes.map(kilobytes), ms]);
    }
    const names = withPeers ? new Set(PEERS.map(([entry]) => packageOf(entry))) : [];
    const weights = [
      ...packed.map(({ name, size }) => [name, kilobytes(size)]),
      ...[...names].map((name) => [name, kilobytes(tarballBytes(name))]),
    ];
    const all = packed.reduce((sum, { size }) => sum + size, 0);
    const first = `${(firstMs - bareMs).toFixed(0)} ms`;
    return {
      tables: [
        {
          title: "An import",
          note: `Bundled with all that it imports; left out: peer dependencies, OpenTelemetry's API, tiktoken's WebAssembly, Node's own modules. Load: milliseconds of a new process more than bare Node's ${bareMs.toFixed(0)}, fastest of 10. A first prompt, fitted by \`fitChatMessages\`, takes ${first} more than bare Node.`,
          head: ["import", "minified", "gzipped", "load"],
          rows,
        },
        {
          title: "Tarballs",
          note: `Packed, as npm downloads them, ${kilobytes(all)} for all of ours; left out: dependencies.`,
          head: ["package", "packed"],
          rows: weights,
        },
      ],
      broken: firstMs - bareMs > MOST_MS && !isQuick ? [`A first prompt takes ${first}.`] : [],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Packs every published package from its build and unpacks the tarballs side by side, as users have them; what they depend on is linked. */
function unpacked(folder: string): readonly Tarball[] {
  const sources = new Map(publishedPackages().map((one) => [one.name, one.folder]));
  const tarballs = packPackages(rootFolder, folder);
  for (const { name, file, manifest } of tarballs) {
    const target = join(folder, "node_modules", name);
    mkdirSync(target, { recursive: true });
    execFileSync("tar", ["-xzf", file, "--strip-components=1", "-C", target]);
    for (const other of Object.keys(manifest.dependencies ?? {})) {
      const path = join(folder, "node_modules", other);
      if (sources.has(other) || existsSync(path)) continue;
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(join(sources.get(name) ?? "", "node_modules", other), path, "dir");
    }
  }
  return tarballs;
}

function run(program: string, cwd: string): void {
  execFileSync(process.execPath, ["--input-type=module", "--eval", program], { cwd });
}

/** Minified, and gzipped beyond that. */
async function bundleSizes([entry, exported]: Import, folder: string): Promise<readonly number[]> {
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
  return [bytes.length, gzipSync(bytes, { level: 9 }).length];
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
