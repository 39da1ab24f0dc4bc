import type { SummaryModel } from "@agent-history/core";
import { offlineModel } from "@agent-history/offline-model";
import type { ChatModel } from "@agent-history/offline-model";

import { chatSummaryModel } from "./chat-summary-model.ts";
import { modelSettings } from "./model-settings.ts";
import type { Environment, ModelSettings } from "./model-settings.ts";
import type { RetryOptions } from "./provider-chat-model.ts";

/** The model of a run; discriminated by `kind`. */
export type ModelChoice =
  | { readonly kind: "offline"; readonly model: ChatModel }
  | {
      readonly kind: "provider";
      readonly model: ChatModel;
      /** The same model, for compression. */
      readonly summaryModel: SummaryModel;
      readonly modelId: string;
      /** Host and port of the server that is asked. */
      readonly host: string;
    };

/**
 * Chooses the model that the environment names: the offline one without a key and a server, otherwise OpenAI's, Anthropic's or that of
 * any server which speaks as OpenAI's does. Nothing is sent.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` where a key or a model is missing, or a variable makes no sense.
 */
export function chooseModel(env: Environment, retries: RetryOptions = {}): ModelChoice {
  const settings = modelSettings(env);
  if (settings === undefined) return { kind: "offline", model: offlineModel() };
  const { modelId, url } = settings;
  const model = modelAtNeed(settings, retries);
  return {
    kind: "provider",
    model,
    summaryModel: chatSummaryModel(model),
    modelId,
    host: new URL(url).host,
  };
}

/** Loads the AI SDK at the first call: whoever asks the offline model does not wait for it. */
function modelAtNeed(settings: ModelSettings, retries: RetryOptions): ChatModel {
  let loading: Promise<ChatModel> | undefined;
  return async (request) => {
    loading ??= loadModel(settings, retries);
    return (await loading)(request);
  };
}

async function loadModel(settings: ModelSettings, retries: RetryOptions): Promise<ChatModel> {
  const { connectModel } = await import("./connect-model.ts");
  const { providerChatModel } = await import("./provider-chat-model.ts");
  return providerChatModel(connectModel(settings), settings, retries);
}
