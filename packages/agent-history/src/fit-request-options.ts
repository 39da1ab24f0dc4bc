import type { RepairOption } from "@agent-history/format-kit";
import type { FitOptions } from "@agent-history/reducer";

import type { ModelOptions } from "./model-options.ts";

/** Options of a fit of a whole request: the model, and those of `fitToWindow`, such as `previousPlan` and `scorer`. */
export interface FitRequestOptions
  extends ModelOptions, RepairOption, Omit<FitOptions, "window" | "counter" | "tools"> {}
