import { describe, expect, it } from "vitest";

import { chooseModel } from "./choose-model.ts";
import { ENVIRONMENT_HELP, modelSettings, PROTOCOLS } from "./model-settings.ts";
import type { Environment } from "./model-settings.ts";

const KEY = "sk-0123456789";
const LOCAL = "http://127.0.0.1:11434/v1";

describe("modelSettings", () => {
  it.each<[string, Environment]>([
    ["without a key and a server", {}],
    ["with empty variables", { OPENAI_API_KEY: " ", OPENAI_BASE_URL: "" }],
    ["where it is asked for, keys or not", { AGENT_HISTORY_MODEL: "offline", OPENAI_API_KEY: KEY }],
  ])("leaves the offline model %s", (_, env) => {
    expect(modelSettings(env)).toBeUndefined();
    expect(chooseModel(env).kind).toBe("offline");
  });

  it.each<[Environment, string, string, string]>([
    [{ OPENAI_API_KEY: KEY }, "openai", PROTOCOLS.openai.defaultModel, "api.openai.com"],
    [
      { ANTHROPIC_API_KEY: KEY },
      "anthropic",
      PROTOCOLS.anthropic.defaultModel,
      "api.anthropic.com",
    ],
    [
      { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY },
      "openai",
      PROTOCOLS.openai.defaultModel,
      "api.openai.com",
    ],
    [
      { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY, AGENT_HISTORY_MODEL: "claude-x" },
      "anthropic",
      "claude-x",
      "api.anthropic.com",
    ],
    [{ OPENAI_API_KEY: KEY, AGENT_HISTORY_MODEL: "gpt-x" }, "openai", "gpt-x", "api.openai.com"],
    [
      { OPENAI_BASE_URL: LOCAL, AGENT_HISTORY_MODEL: "llama3:8b" },
      "compatible",
      "llama3:8b",
      "127.0.0.1:11434",
    ],
    [
      {
        OPENAI_BASE_URL: `${LOCAL}/`,
        AGENT_HISTORY_MODEL: "anthropic/claude-x",
        OPENAI_API_KEY: KEY,
      },
      "compatible",
      "anthropic/claude-x",
      "127.0.0.1:11434",
    ],
    [
      { OPENAI_BASE_URL: "https://api.openai.com/v1", OPENAI_API_KEY: KEY },
      "openai",
      PROTOCOLS.openai.defaultModel,
      "api.openai.com",
    ],
    [
      { OPENAI_BASE_URL: LOCAL, AGENT_HISTORY_MODEL: "openai:gpt-x" },
      "openai",
      "gpt-x",
      "127.0.0.1:11434",
    ],
    [
      { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY, AGENT_HISTORY_MODEL: "anthropic:" },
      "anthropic",
      PROTOCOLS.anthropic.defaultModel,
      "api.anthropic.com",
    ],
  ])("reads %j as %s", (env, protocol, modelId, host) => {
    expect(modelSettings(env)).toMatchObject({ protocol, modelId });
    expect(chooseModel(env)).toMatchObject({ kind: "provider", modelId, host });
  });

  it.each<[Environment, RegExp]>([
    [
      { AGENT_HISTORY_MODEL: "gpt-x" },
      /^Expected OPENAI_API_KEY to hold a key, found nothing\. Set/,
    ],
    [{ AGENT_HISTORY_MODEL: "claude-x", OPENAI_API_KEY: KEY }, /^Expected ANTHROPIC_API_KEY/],
    [{ AGENT_HISTORY_MODEL: "compatible:x" }, /^Expected OPENAI_BASE_URL to hold the address/],
    [{ OPENAI_BASE_URL: LOCAL }, /^Expected AGENT_HISTORY_MODEL to hold the name of a model/],
    [{ OPENAI_BASE_URL: "localhost:1234", AGENT_HISTORY_MODEL: "x" }, /^Expected OPENAI_BASE_URL/],
    [{ OPENAI_BASE_URL: `http://me:${KEY}@h/v1`, AGENT_HISTORY_MODEL: "x" }, /without a user name/],
    [{ OPENAI_API_KEY: `${KEY}\nx` }, /^Expected OPENAI_API_KEY to hold a key of letters/],
    [
      { OPENAI_API_KEY: KEY, AGENT_HISTORY_TIMEOUT_SECONDS: "0" },
      /TIMEOUT_SECONDS to hold a number/,
    ],
    [{ OPENAI_API_KEY: KEY, AGENT_HISTORY_TIMEOUT_SECONDS: "soon" }, /number of seconds up to/],
  ])("refuses %j without showing a key", (env, words) => {
    expect(() => modelSettings(env)).toThrow(words);
    expect(() => modelSettings(env)).toThrow(expect.objectContaining({ code: "INVALID_OPTION" }));
    expect(() => modelSettings(env)).not.toThrow(KEY);
  });

  it("is silent for two minutes at most, unless it is told otherwise", () => {
    expect(modelSettings({ OPENAI_API_KEY: KEY })?.silenceMs).toBe(120_000);
    const env = { OPENAI_API_KEY: KEY, AGENT_HISTORY_TIMEOUT_SECONDS: "1.5" };
    expect(modelSettings(env)?.silenceMs).toBe(1500);
  });

  it("helps with each variable that it reads, and with no other", () => {
    const read = new Set<string>();
    for (const model of ["openai:x", "anthropic:x", "compatible:x", "x"])
      modelSettings(noting({ AGENT_HISTORY_MODEL: model, OPENAI_BASE_URL: LOCAL }, read));

    expect(new Set(ENVIRONMENT_HELP.map(([name]) => name))).toEqual(read);
  });
});

/** An environment that notes what is read of it, and has every key. */
function noting(env: Environment, read: Set<string>): Environment {
  return new Proxy(env, {
    get: (values, name) => {
      const variable = String(name);
      read.add(variable);
      return values[variable] ?? (variable.endsWith("_KEY") ? KEY : undefined);
    },
  });
}
