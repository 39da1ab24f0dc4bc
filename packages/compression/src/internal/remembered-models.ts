import type { SummaryModel } from "@agent-history/core";

import type { ModelPolicy } from "./ask-model.ts";

/** What a `summaryModel` was made of, so that it is not wrapped twice and asked nine times. */
interface Remembered {
  readonly ask: SummaryModel;
  readonly policy: ModelPolicy;
}

const models = new WeakMap<SummaryModel, Remembered>();

/** Remembers what a model was made of. */
export function rememberModel(model: SummaryModel, made: Remembered): void {
  models.set(model, made);
}

/** Returns what a model was made of, where it was made by `summaryModel`. */
export function recallModel(model: SummaryModel): Remembered | undefined {
  return models.get(model);
}
