// Writes src/internal/model-limits.ts from the model catalog of the package @earendil-works/pi-ai (MIT, generated from models.dev and
// the lists of 43 providers). Run it with Node from this package: `node scripts/generate-model-limits.ts`. Nothing of that package is
// installed or shipped.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { modelKey, resolveModel } from "../src/internal/resolve-model.ts";

interface Offer {
  /** The model as this provider writes it. */
  readonly name: string;
  readonly provider: string;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
}

/** The models that the table knows, and the providers that say their windows: the first one that has a model. */
const makers: readonly (readonly [RegExp, readonly string[]])[] = [
  // The provider `openai` of the catalog gives the price step of 272,000 tokens for the window of newer models.
  [/^(?:gpt-(?!oss)|o[134](?:-|$)|chat-latest)/, ["azure", "openrouter", "openai"]],
  [/^gpt-oss-/, ["openrouter", "groq"]],
  [/^claude-/, ["anthropic", "amazon-bedrock"]],
  [/^(?:gemini|gemma)-/, ["google", "openrouter"]],
  [/^deepseek-/, ["deepseek", "openrouter", "amazon-bedrock"]],
  [/^(?:qwen|qwq)/, ["qwen-token-plan", "openrouter", "amazon-bedrock"]],
  [
    /^(?:mistral|ministral|magistral|codestral|devstral|pixtral|voxtral|mixtral|open-mistral)-/,
    ["mistral", "openrouter", "amazon-bedrock"],
  ],
  [/^grok-/, ["xai", "openrouter"]],
  [/^kimi-/, ["moonshotai", "openrouter"]],
  [/^glm-/, ["zai", "openrouter"]],
  [/^minimax-/, ["minimax", "openrouter", "amazon-bedrock"]],
  [/^llama-?[34]/, ["amazon-bedrock", "groq", "openrouter"]],
  [/^muse-/, ["meta", "openrouter"]],
  [/^nova-/, ["amazon-bedrock"]],
  [/^command-/, ["openrouter"]],
  [/^nemotron-/, ["nvidia", "openrouter", "amazon-bedrock"]],
];

/** What no agent runs on, and names that providers move. */
const LEFT_OUT =
  /-(?:audio|voice|image|banana|robotics|computer-use|customtools|safeguard|contributor|legal|guard|vl|omni|vision)(?:-|$)|^(?:deepseek|glm|kimi|grok|minimax|gpt)-.*latest$|^deepseek-chat$|^(?:mixtral|gemma-3|llama-3-[12]|qwen-?2|qwq)/;

const K = 1000;

/** What the catalog has wrong or lacks, from the providers' own pages. */
const corrections: readonly (readonly [
  key: string,
  window: number,
  output: number,
  least?: number,
])[] = [
  ["gpt-6.2-astra", 1050 * K, 128 * K],
  ["gpt-5.6", 1050 * K, 128 * K],
  ["gpt-5-pro", 400 * K, 272 * K],
  ["gpt-3.5-turbo", 16_385, 4096],
  ["gpt-4", 8192, 8192],
  ["gemini-4-argon", 1_048_576, 65_536],
  ["claude-opus-4-1", 200 * K, 32 * K],
  ["claude-opus-4", 200 * K, 32 * K],
  ["claude-3-7-sonnet", 200 * K, 64 * K],
  ["claude-3-5-sonnet", 200 * K, 8192],
  ["claude-3-5-haiku", 200 * K, 8192],
  ["claude-3-haiku", 200 * K, 4096],
  ["claude-3-opus", 200 * K, 4096],
  ["claude-mythos-5", 1000 * K, 128 * K],
  // An alias of the newest model at DeepSeek, an old one elsewhere.
  ["deepseek-chat", 1000 * K, 384 * K, 163_840],
  ["deepseek-reasoner", 1000 * K, 384 * K, 128 * K],
  ["chatgpt-4o", 128 * K, 16_384],
  ["gpt-5-chat", 128 * K, 16_384],
  ["gpt-5.1-codex", 400 * K, 128 * K],
  ["gpt-5.1-codex-max", 400 * K, 128 * K],
  ["gpt-5.1-codex-mini", 400 * K, 128 * K],
  ["gpt-5.2-codex", 400 * K, 128 * K],
  ["llama-4-scout", 10_000 * K, 8192, 128 * K],
  ["llama-4-maverick", 1000 * K, 8192, 128 * K],
  ["llama-3.1-8b", 128 * K, 4096],
  ["llama-3.1-70b", 128 * K, 4096],
  ["llama-3.1-405b", 128 * K, 4096],
  ["qwen3-32b", 32_768, 16_384],
  ["qwen3-14b", 32_768, 16_384],
];

const catalog = readCatalog();
const offers = new Map<string, Offer[]>();
for (const { provider, name: id, ...limits } of catalog.providers) {
  const { bare, keys } = resolveModel(id);
  const [key = ""] = keys;
  // Cloudflare cuts windows down as nobody else does; a few models give kilotokens for tokens.
  if (provider === "cloudflare-workers-ai" || limits.maxOutputTokens < K || LEFT_OUT.test(key))
    continue;
  if (!makers.some(([names]) => names.test(key))) continue;
  const name = bare.replace(/-(?:instruct|it)$/, "");
  // OpenRouter gives nine tenths of the window where a model has no limit.
  const maxOutputTokens = Math.min(limits.maxOutputTokens, Math.floor(limits.contextTokens / 4));
  const offer = provider === "openrouter" ? { ...limits, maxOutputTokens } : limits;
  offers.set(modelKey(name), [...(offers.get(modelKey(name)) ?? []), { name, provider, ...offer }]);
}

const rows = new Map<string, string>();
const written = new Map<string, string>();
for (const [key, all] of offers) {
  const [, trusted = []] = makers.find(([names]) => names.test(key)) ?? [];
  const own = trusted.map((name) => all.find(({ provider }) => provider === name)).find(Boolean);
  const { name, contextTokens, maxOutputTokens } =
    own ?? all.reduce((one, other) => (other.contextTokens < one.contextTokens ? other : one));
  const least = Math.min(...all.map((offer) => offer.contextTokens));
  // Gateways serve the windows of closed models whole, and other numbers of theirs are price steps or mistakes.
  written.set(key, name);
  const isOpen = !/^(?:gpt-(?!oss)|o[134]|chat-|claude-|gemini-|grok-|nova-|command-)/.test(key);
  rows.set(key, rowOf(contextTokens, maxOutputTokens, isOpen ? least : contextTokens));
}
for (const [name, contextTokens, maxOutputTokens, least = contextTokens] of corrections) {
  written.set(modelKey(name), name);
  rows.set(modelKey(name), rowOf(contextTokens, maxOutputTokens, least));
}
for (const key of ["llama-4-scout-17b", "llama-4-maverick-17b"]) rows.delete(key);
// A snapshot or a size with the limits of its model is found under the name of that.
for (const [key, row] of rows) {
  const [, ...shorter] = resolveModel(key).keys;
  const found = shorter.map((name) => rows.get(name)).find((one) => one !== undefined);
  if (found === row) rows.delete(key);
}

const byLimits = new Map<string, string[]>();
for (const [key, row] of rows) {
  byLimits.set(row, [...(byLimits.get(row) ?? []), written.get(key) ?? key]);
}
const lines = [...byLimits]
  .toSorted(([, one], [, other]) => other.length - one.length)
  .flatMap(([row, models]) => wrapped([row, ...models.toSorted()]));
writeFileSync(
  fileURLToPath(new URL("../src/internal/model-limits.ts", import.meta.url)),
  `// Written by scripts/generate-model-limits.ts from @earendil-works/pi-ai ${catalog.release} on ${new Date().toISOString().slice(0, 10)}.

/**
 * Window, longest answer and, where it differs, the smallest window that a gateway or a cloud serves; then the models that have them.
 * Corrections stand in the script.
 */
export const MODEL_LIMITS: string = \`
${lines.join("\n")}
\`;
`,
);
process.stdout.write(`${rows.size} models\n`);

function rowOf(contextTokens: number, maxOutputTokens: number, least: number): string {
  const numbers = [contextTokens, Math.min(maxOutputTokens, contextTokens)];
  return (least < contextTokens * 0.97 ? [...numbers, least] : numbers).join(" ");
}

function wrapped(names: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const name of names) {
    const last = found.at(-1);
    if (last === undefined || last.length + name.length > 98) found.push(name);
    else found[found.length - 1] = `${last} ${name}`;
  }
  return found;
}

function readCatalog(): {
  readonly release: string;
  readonly providers: readonly Offer[];
} {
  const folder = mkdtempSync(join(tmpdir(), "models-"));
  execFileSync("npm", ["pack", "--silent", "@earendil-works/pi-ai@latest"], { cwd: folder });
  const [tarball = ""] = readdirSync(folder);
  execFileSync("tar", ["xzf", tarball], { cwd: folder });
  const data = join(folder, "package/dist/providers/data");
  const read = (file: string): Record<string, Record<string, CatalogModel>> =>
    JSON.parse(readFileSync(file, "utf8"));
  const { version: release } = JSON.parse(
    readFileSync(join(folder, "package/package.json"), "utf8"),
  );
  return {
    release,
    providers: readdirSync(data)
      .toSorted()
      .flatMap((file) =>
        Object.values(read(join(data, file))).flatMap((models) =>
          Object.values(models)
            .filter(({ type }) => type === "chat")
            .map(({ id, contextWindow, maxTokens }) => ({
              provider: file.replace(".json", ""),
              name: id,
              contextTokens: contextWindow,
              maxOutputTokens: maxTokens,
            })),
        ),
      ),
  };
}

interface CatalogModel {
  readonly id: string;
  readonly type: string;
  readonly contextWindow: number;
  readonly maxTokens: number;
}
