import { mkdirSync } from "node:fs";
import { dirname } from "node:path";

import type { AgentRole, ModelWindow } from "@agent-history/core";
import { simulateStreamingMiddleware, wrapLanguageModel } from "ai";
import type { LanguageModel } from "ai";

import type { Models } from "./ask.ts";
import { counter } from "./history.ts";
import { scriptedModel } from "./scripted/scripted-model.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The context window of each role's model. */
export type Windows = Readonly<Record<AgentRole, ModelWindow>>;

/** The scripted model, with a prompt cache of its own for each role. */
export function scriptedModels(windows: Windows): Models {
  const count = (text: string): number => counter.countText(text);
  const middleware = simulateStreamingMiddleware();
  const open = ({ contextTokens }: ModelWindow): LanguageModel =>
    wrapLanguageModel({ model: scriptedModel(contextTokens, count), middleware });
  const orchestrator = open(windows.orchestrator);
  const models = { orchestrator, manager: open(windows.manager), worker: open(windows.worker) };
  return (role) => models[role];
}

/** The model that the environment names, by the AI SDK; nothing without a key and a server. Loads the provider's package only where it is needed. */
export async function realModel(env: Environment) {
  const { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey, AGENT_HISTORY_MODEL: model } = env;
  if (baseURL) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const asked = { name: "server", baseURL, includeUsage: true, supportsStructuredOutputs: true };
    return createOpenAICompatible({ ...asked, ...(apiKey && { apiKey }) })(model ?? "default");
  }
  if (apiKey) return (await import("@ai-sdk/openai")).openai(model ?? "gpt-5-mini");
  if (!env["ANTHROPIC_API_KEY"]) return undefined;
  return (await import("@ai-sdk/anthropic")).anthropic(model ?? "claude-haiku-4-5");
}

/** Opens Redis with `REDIS_URL`, Postgres with `DATABASE_URL`, else a SQLite file; says which, and how to let go of it. */
export async function openStore(env: Environment, file: string) {
  const { REDIS_URL: url, DATABASE_URL: connectionString } = env;
  if (url) {
    const { createClient } = await import("redis");
    const { redisStore } = await import("@agent-history/store-redis");
    const reconnectStrategy = (tries: number, cause: Error) => (tries < 20 ? 100 : cause);
    const client = createClient({ url, socket: { reconnectStrategy } }).on("error", () => {});
    await client.connect();
    const store = redisStore({ client, namespace: "licence-audit" });
    return { store, name: "Redis", close: () => client.close() };
  }
  if (connectionString) {
    const { Pool } = await import("pg");
    const { postgresStore } = await import("@agent-history/store-postgres");
    const client = new Pool({ connectionString });
    return { store: postgresStore({ client }), name: "Postgres", close: () => client.end() };
  }
  const { sqliteStore } = await import("@agent-history/store-sqlite");
  mkdirSync(dirname(file), { recursive: true });
  const store = sqliteStore({ path: file });
  return { store, name: "SQLite", close: () => store.close() };
}
