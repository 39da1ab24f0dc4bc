import { HistoryError } from "@agent-history/core";

/** The variables of an environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How a server is spoken to: OpenAI's Responses, Anthropic's Messages, or the chat completions that most servers understand. */
export type Protocol = "openai" | "anthropic" | "compatible";

/** Which real model is asked, and how. */
export interface ModelSettings {
  readonly protocol: Protocol;
  readonly modelId: string;
  /** The base URL of the server. */
  readonly url: string;
  /** Whether the environment names the server. */
  readonly isOwnServer: boolean;
  /** A self-hosted server may need none. */
  readonly apiKey?: string;
  /** How long a server may be silent. */
  readonly silenceMs: number;
}

/** What is read for each protocol, and the model where none is named. */
export const PROTOCOLS = {
  openai: {
    keyName: "OPENAI_API_KEY",
    urlName: "OPENAI_BASE_URL",
    defaultModel: "gpt-5.4-mini",
    defaultUrl: "https://api.openai.com/v1",
  },
  anthropic: {
    keyName: "ANTHROPIC_API_KEY",
    urlName: "ANTHROPIC_BASE_URL",
    defaultModel: "claude-haiku-5-5",
    defaultUrl: "https://api.anthropic.com/v1",
  },
  compatible: {
    keyName: "OPENAI_API_KEY",
    urlName: "OPENAI_BASE_URL",
    defaultModel: undefined,
    defaultUrl: undefined,
  },
} as const satisfies Record<Protocol, object>;

/** What `--help` says of the environment; one line for each variable. */
export const ENVIRONMENT_HELP: readonly (readonly [name: string, meaning: string])[] = [
  ["OPENAI_API_KEY", `asks ${PROTOCOLS.openai.defaultModel} at OpenAI`],
  ["ANTHROPIC_API_KEY", `asks ${PROTOCOLS.anthropic.defaultModel} at Anthropic`],
  ["OPENAI_BASE_URL", "asks a server that speaks OpenAI's chat completions"],
  ["ANTHROPIC_BASE_URL", "asks another server that speaks Anthropic's messages"],
  ["AGENT_HISTORY_MODEL", "the model; `offline`, or with `openai:`, `anthropic:`, `compatible:`"],
  ["AGENT_HISTORY_TIMEOUT_SECONDS", "how long a server may be silent; default 120"],
];

const DEFAULT_SILENCE_SECONDS = 120;
/** Longer, and a timer would fire at once. */
const MAX_SILENCE_SECONDS = 86_400;

/**
 * Reads from the environment which real model is asked; nothing where it is the offline one.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` where a key or a model is missing, or a variable makes no sense.
 */
export function modelSettings(env: Environment): ModelSettings | undefined {
  const asked = valueOf(env, "AGENT_HISTORY_MODEL") ?? "";
  if (asked === "offline") return undefined;
  const [, prefix, rest] = /^(openai|anthropic|compatible):(.*)$/s.exec(asked) ?? [];
  const named = rest ?? asked;
  const protocol = isProtocol(prefix) ? prefix : protocolOf(named, env);
  if (protocol === undefined) return undefined;
  const { keyName, urlName, defaultModel, defaultUrl } = PROTOCOLS[protocol];
  const modelId = named || defaultModel;
  if (modelId === undefined)
    throw missing("AGENT_HISTORY_MODEL", "the name of a model of this server");
  const ownUrl = readUrl(env, urlName);
  const url = ownUrl ?? defaultUrl;
  if (url === undefined)
    throw missing(urlName, "the address of a server, such as http://127.0.0.1:11434/v1");
  const apiKey = readKey(env, keyName);
  // Only a server of one's own may need no key.
  if (apiKey === undefined && ownUrl === undefined) throw missing(keyName, "a key");
  return {
    protocol,
    modelId,
    url,
    isOwnServer: ownUrl !== undefined,
    silenceMs: readSilence(env) * 1000,
    ...(apiKey !== undefined && { apiKey }),
  };
}

function isProtocol(name: string | undefined): name is Protocol {
  return name !== undefined && Object.hasOwn(PROTOCOLS, name);
}

/** By what people have: a server of their own, a key that the model's name asks for, any key. */
function protocolOf(modelId: string, env: Environment): Protocol | undefined {
  const has = (name: string): boolean => valueOf(env, name) !== undefined;
  const isClaude = modelId.startsWith("claude");
  if (has("OPENAI_BASE_URL")) return isOpenAi(env) ? "openai" : "compatible";
  const hasAnthropic = has("ANTHROPIC_API_KEY") || has("ANTHROPIC_BASE_URL");
  if (isClaude || (hasAnthropic && !has("OPENAI_API_KEY") && modelId === "")) return "anthropic";
  if (has("OPENAI_API_KEY") || modelId !== "") return "openai";
  return undefined;
}

function isOpenAi(env: Environment): boolean {
  return readUrl(env, "OPENAI_BASE_URL")?.startsWith("https://api.openai.com/") === true;
}

function valueOf(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim() ?? "";
  return value === "" ? undefined : value;
}

function readUrl(env: Environment, name: string): string | undefined {
  const text = valueOf(env, name);
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // What stands in it may be a secret: the message does not show it.
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username + url.password !== "")
    throw invalid(name, "an http or https address without a user name or password");
  return text.replace(/\/+$/, "");
}

function readKey(env: Environment, name: string): string | undefined {
  const key = valueOf(env, name);
  // A header takes nothing else, and the error of one that does not fit would show it.
  if (key !== undefined && !/^[\x21-\x7E]+$/.test(key))
    throw invalid(name, "a key of letters, digits and signs");
  return key;
}

function readSilence(env: Environment): number {
  const name = "AGENT_HISTORY_TIMEOUT_SECONDS";
  const seconds = Number(valueOf(env, name) ?? DEFAULT_SILENCE_SECONDS);
  if (seconds > 0 && seconds <= MAX_SILENCE_SECONDS) return seconds;
  throw invalid(name, `a number of seconds up to ${MAX_SILENCE_SECONDS}`);
}

function missing(option: string, what: string): HistoryError {
  return new HistoryError(
    `Expected ${option} to hold ${what}, found nothing. Set it, or AGENT_HISTORY_MODEL=offline.`,
    { code: "INVALID_OPTION", details: { option } },
  );
}

function invalid(option: string, what: string): HistoryError {
  return new HistoryError(`Expected ${option} to hold ${what}, found something else. Correct it.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}
