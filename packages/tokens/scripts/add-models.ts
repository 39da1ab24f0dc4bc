// Adds the models that src/internal/model-limits.json lacks, from the catalog of the package @earendil-works/pi-ai (MIT, generated from models.dev and
// the lists of 43 providers): `node scripts/add-models.ts`. What stands in the table stays, also where the catalog drops it; where the catalog says
// something else, that is printed, and a person decides. Nothing of that package is installed or shipped.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { modelKey, resolveModel } from "../src/internal/resolve-model.ts";

/** Window, longest answer and, where it differs, the smallest window that a gateway or a cloud serves. */
type Limits = readonly [window: number, output: number, served?: number];

/** A model as a provider offers it. */
interface Offer {
  readonly id: string;
  readonly type: string;
  readonly provider: string;
  readonly contextWindow: number;
  readonly maxTokens: number;
}

/** The models that the table has. */
const WANTED =
  /^(?:gpt-|o[134](?:-|$)|chat-latest|claude-|gemini-|gemma-|deepseek-|qwen|mistral-|ministral-|magistral-|codestral-|devstral-|pixtral-|voxtral-|open-mistral-|grok-|kimi-|glm-|minimax-|llama-?[34]|muse-|nova-|command-|nemotron-)/;

/** Whose numbers count: the first of these that has a model. The provider `openai` gives a price step for the window of newer models. */
const TRUSTED =
  "anthropic google deepseek qwen-token-plan mistral xai moonshotai zai minimax meta azure openrouter amazon-bedrock nvidia groq openai".split(
    " ",
  );

/** What no agent runs on, and names that providers move. */
const LEFT_OUT =
  /-(?:audio|voice|image|banana|robotics|computer-use|customtools|safeguard|contributor|legal|guard|vl|omni|vision)(?:-|$)|-17b$|^(?:deepseek|glm|kimi|grok|minimax|gpt)-.*latest$|^deepseek-chat$|^(?:mixtral|gemma-3|llama-3-[12]|qwen-?2|qwq)/;

/** Models that only their makers serve: other numbers of gateways are price steps or mistakes. */
const CLOSED = /^(?:gpt-(?!oss)|o[134]|chat-|claude-|gemini-|grok-|nova-|command-)/;

const file = join(import.meta.dirname, "../src/internal/model-limits.json");
const table: Record<string, Limits> = JSON.parse(readFileSync(file, "utf8"));
const known = new Map(Object.entries(table).map(([name, limits]) => [modelKey(name), limits]));
const nameOf = (id: string): string => resolveModel(id).bare.replace(/-(?:instruct|it)$/, "");
const offers = new Map<string, readonly Offer[]>();
for (const offer of readCatalog()) {
  const key = modelKey(nameOf(offer.id));
  offers.set(key, [...(offers.get(key) ?? []), offer]);
}
// A snapshot with the limits of its model needs no row: the shorter name comes first.
for (const [key, all] of [...offers].toSorted(([a], [b]) => a.length - b.length)) {
  const name = nameOf(all[0]?.id ?? "");
  if (!WANTED.test(key) || LEFT_OUT.test(key)) continue;
  const limits = limitsOf(key, all);
  const found = resolveModel(name).keys.map((one) => known.get(one));
  if (String(found.find(Boolean)) === String(limits)) continue;
  if (known.has(key)) {
    process.stdout.write(`${name}: ${String(known.get(key))} here, ${String(limits)} there\n`);
    continue;
  }
  table[name] = limits;
  known.set(modelKey(name), limits);
  process.stdout.write(`${name}: added with ${String(limits)}\n`);
}
const rows = Object.entries(table).toSorted(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(file, JSON.stringify(Object.fromEntries(rows)));
execFileSync("oxfmt", [file], { stdio: "inherit" });

function limitsOf(key: string, all: readonly Offer[]): Limits {
  const own = TRUSTED.flatMap((name) => all.find(({ provider }) => provider === name) ?? [])[0];
  const { provider, contextWindow, maxTokens } =
    own ?? all.reduce((one, other) => (other.contextWindow < one.contextWindow ? other : one));
  // OpenRouter gives nine tenths of the window where a model has no limit.
  const most = provider === "openrouter" ? Math.floor(contextWindow / 4) : contextWindow;
  const least = all.reduce((one, offer) => Math.min(one, offer.contextWindow), contextWindow);
  const limits = [contextWindow, Math.min(maxTokens, most)] as const;
  return CLOSED.test(key) || least >= contextWindow * 0.97 ? limits : [...limits, least];
}

function readCatalog(): readonly Offer[] {
  const cwd = mkdtempSync(join(tmpdir(), "models-"));
  execFileSync("npm", ["pack", "--silent", "@earendil-works/pi-ai@latest"], { cwd });
  execFileSync("tar", ["xzf", readdirSync(cwd)[0] ?? ""], { cwd });
  const data = join(cwd, "package/dist/providers/data");
  return readdirSync(data).flatMap((provider) => {
    const apis: Record<string, Record<string, Offer>> = JSON.parse(
      readFileSync(join(data, provider), "utf8"),
    );
    const models = Object.values(apis).flatMap((api) => Object.values(api));
    // Cloudflare cuts windows down as nobody else does; a few models give kilotokens for tokens.
    return models
      .filter(({ type, maxTokens }) => type === "chat" && maxTokens >= 1000)
      .map((model) => ({ ...model, provider: provider.replace(".json", "") }))
      .filter((model) => model.provider !== "cloudflare-workers-ai");
  });
}
