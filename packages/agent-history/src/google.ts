// The contract of the entry `agent-history/google`: each line is public.
export { fitContents, fitContentsAsync } from "./fit-contents.ts";
export type { FitContentsForModelOptions } from "./fit-contents.ts";
export type { ModelOptions } from "./model-options.ts";
export type { FittedContents } from "@agent-history/google";
export type { ReductionPlan } from "@agent-history/core";

// Contents and entries, for `createHistory`
export { fromContents, toContents, toGoogleRequest } from "@agent-history/google";
