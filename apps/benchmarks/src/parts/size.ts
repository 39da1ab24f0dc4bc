import { builtinModules } from "node:module";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";

import type { ResultTable } from "../report/result-table.ts";
import { peersFolder } from "../systems/all-systems.ts";
import { manifestOf, unpackPackages } from "./unpack-packages.ts";

/** What one import weighs, bundled with all that it imports. */
export interface SizeFigures {
  readonly entry: string;
  /** One export of it; everything where it is missing. */
  readonly exported?: string;
  readonly minifiedBytes: number;
  readonly gzippedBytes: number;
}

/** What a user imports of the peers, to do what `fitToWindow` and the stores do. */
const PEERS: readonly (readonly [entry: string, exported: string])[] = [
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

/** Weighs each entry of every package that is published. */
export async function sizeOfOurs(): Promise<readonly SizeFigures[]> {
  using unpacked = unpackPackages();
  const { folder, names } = unpacked;
  const sizes = [await weigh({ entry: "@agent-history/reducer", exported: "fitToWindow" }, folder)];
  for (const entry of names.flatMap((name) => entriesOf(name, folder))) {
    sizes.push(await weigh({ entry }, folder));
  }
  return sizes;
}

/** Weighs what a user imports of the peers. */
export async function sizeOfPeers(): Promise<readonly SizeFigures[]> {
  const sizes: SizeFigures[] = [];
  for (const [entry, exported] of PEERS) sizes.push(await weigh({ entry, exported }, peersFolder));
  return sizes;
}

function entriesOf(name: string, folder: string): readonly string[] {
  return Object.keys(manifestOf(name, folder).exports)
    .filter((path) => path !== "./package.json")
    .map((path) => `${name}${path.slice(1)}`);
}

/** Weighs one import, found from a folder, without the peers of its package, which the user chose. */
async function weigh(
  { entry, exported }: { readonly entry: string; readonly exported?: string },
  folder: string,
): Promise<SizeFigures> {
  const packageName = entry.split("/", entry.startsWith("@") ? 2 : 1).join("/");
  const peers = Object.keys(manifestOf(packageName, folder).peerDependencies ?? {});
  const what = exported === undefined ? "*" : `{ ${exported} }`;
  const { outputFiles } = await build({
    stdin: { contents: `export ${what} from ${JSON.stringify(entry)}`, resolveDir: folder },
    bundle: true,
    minify: true,
    format: "esm",
    // A bundler for any platform.
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
  return {
    entry,
    ...(exported !== undefined && { exported }),
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
    note: "Bundled with all that it imports, but for peer dependencies, OpenTelemetry's API, tiktoken's WebAssembly and Node's own modules; ours from packed tarballs. Without a name: everything that the entry exports.",
    head: ["import", "minified", "gzipped"],
    rows: figures.map(({ entry, exported, minifiedBytes, gzippedBytes }) => [
      exported === undefined ? `\`${entry}\`` : `\`${exported}\` of \`${entry}\``,
      kilobytes(minifiedBytes),
      kilobytes(gzippedBytes),
    ]),
    figures,
  };
}
