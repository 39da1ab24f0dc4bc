/** Names under which models are sold that lead to no other name by rule. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["gpt-35-turbo", "gpt-3-5-turbo"],
  ["gpt-chat", "chat"],
  ["gpt-5-6", "gpt-5-6-sol"],
  ["claude-fable", "claude-fable-5-2"],
  ["claude-opus", "claude-opus-5-5"],
  ["claude-sonnet", "claude-sonnet-5-5"],
  ["claude-haiku", "claude-haiku-5-5"],
  ["opus", "claude-opus-5-5"],
  ["sonnet", "claude-sonnet-5-5"],
  ["haiku", "claude-haiku-5-5"],
  ["gemini-flash", "gemini-3-8-flash"],
  ["gemini-flash-lite", "gemini-3-5-flash-lite"],
  ["gemini-pro", "gemini-3-1-pro"],
  ["deepseek-chat", "deepseek-v4-pro"],
  ["deepseek-reasoner", "deepseek-v4-pro"],
  ["deepseek-flash", "deepseek-v4-1-flash"],
  ["v3", "deepseek-v3"],
  ["v3-2", "deepseek-v3-2"],
]);

const REGION = /^(?:us-gov|us|eu|apac|au|ca|in|jp|global)\.(?=[a-z])/;

/** The vendors of Bedrock's ids. */
const VENDOR =
  /^(?:ai21|amazon|anthropic|cohere|deepseek|google|meta|minimax|mistral|moonshot(?:ai)?|nvidia|openai|qwen|writer|xai|zai)\./;

/** The version of a Bedrock id. */
const BEDROCK_VERSION = /-(?:v?\d+:\d+(?::\d+k)?|v1)$/;

/** How OpenRouter routes a request. Other text after a colon names a file of a local server. */
const ROUTE = /:(?:batch|beta|exacto|extended|floor|free|nitro|online|thinking)$/;

/** How a model is served, which may change its window. */
const SERVING =
  /-(?:batch|free|spot|fast|highspeed|ultrafast|maas|tee|fp[48]|nvfp4|mxfp4|bf16|awq|int[48])$/;

/** What comes off the end of a name step by step: dates, stages, sizes and training. */
const ENDINGS =
  /[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{2}-\d{4}|\d{2}-\d{2}|\d{3,4}|latest|default|preview|exp|instruct-turbo|instruct|it|\d+b|a\d+b|\d+e)$/;

/** A model's name without what says who serves it. */
export interface ModelName {
  /** Lower case, without vendor, region, route and path: `gpt-4o`. */
  readonly bare: string;
  /** Keys under which it may be known, the most exact first: dots are hyphens. */
  readonly keys: readonly string[];
  /** Whether a gateway or a cloud serves it, whose window may be smaller than the maker's. */
  readonly isServed: boolean;
  /** The window that the name itself asks for: `[1m]`, as Claude Code writes it. */
  readonly contextTokens?: number;
}

/**
 * Reads a model's name as people write it: ids and ARNs of Bedrock, Vertex and Cloudflare paths, OpenRouter's and Ollama's suffixes,
 * dated snapshots, fine-tuned models and Claude Code's `[1m]`.
 */
export function resolveModel(model: string): ModelName {
  const written = model.trim().toLowerCase();
  const asked = /\[(\d+)m\]$/.exec(written);
  const path = written.replace(/\[\d+m\]$/, "");
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/^[~@]/, "");
  const tuned = name.startsWith("ft:") ? (name.split(":")[1] ?? name) : name;
  const bare = tuned.replace(REGION, "").replace(VENDOR, "");
  const routed = bare.replace(BEDROCK_VERSION, "").replace(ROUTE, "").replace(SERVING, "");
  return {
    bare: routed,
    keys: keysOf(routed),
    isServed: path.includes("/") || routed !== tuned,
    ...(asked !== null && { contextTokens: Number(asked[1]) * 1_000_000 }),
  };
}

/** Returns the key of a name: versions are written with dots, hyphens, `p` or nothing, as in `llama3-3` and `llama-3.3`. */
export function modelKey(name: string): string {
  return name
    .replace(/^(llama|gemma)(?=\d)/, "$1-")
    .replace(/^qwen-(?=[23])/, "qwen")
    .replaceAll(/(?<=\d)p(?=\d)|[._]/g, "-");
}

function keysOf(bare: string): readonly string[] {
  const keys: string[] = [];
  for (let name = bare; ; name = name.replace(ENDINGS, "")) {
    const key = modelKey(name);
    if (keys.includes(key)) return keys;
    keys.push(key);
    const alias = ALIASES.get(key);
    if (alias !== undefined) keys.push(alias);
  }
}
