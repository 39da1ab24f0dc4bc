import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError } from "ai";
import type { LanguageModel } from "ai";

import type { ModelSettings } from "./model-settings.ts";
import { unstreamed } from "./unstreamed-reply.ts";

/** Where no key is needed, a header without one is as good. */
const NO_KEY = "none";

/** Makes the AI SDK's model of settings. Nothing is sent. */
export function connectModel(settings: ModelSettings): LanguageModel {
  const { protocol, modelId, url: baseURL, apiKey } = settings;
  switch (protocol) {
    case "openai":
      return createOpenAI({
        apiKey: apiKey ?? NO_KEY,
        baseURL,
        fetch: fetchFromThere,
      }).responses(modelId);
    case "anthropic":
      return createAnthropic({
        apiKey: apiKey ?? NO_KEY,
        baseURL,
        fetch: fetchFromThere,
      })(modelId);
    case "compatible":
      return createOpenAICompatible({
        name: "compatible",
        baseURL,
        includeUsage: true,
        fetch: fetchFromThere,
        ...(apiKey !== undefined && { apiKey }),
      })(modelId);
  }
}

/** Follows no redirection: a key goes to the address it was given for, and to no other. A page for people is no answer. */
const fetchFromThere: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: "manual" });
  const { ok, status: statusCode, headers } = response;
  const type = headers.get("content-type") ?? "";
  if (ok && type.includes("json") && asksForStream(init?.body)) {
    await response.body?.cancel();
    throw unstreamed();
  }
  if (!ok || !type.includes("html")) return response;
  await response.body?.cancel();
  const message = "The answer is a page.";
  throw new APICallError({ message, statusCode, url: response.url, requestBodyValues: {} });
};

function asksForStream(body: unknown): boolean {
  return typeof body === "string" && /"stream":\s*true/.test(body);
}
