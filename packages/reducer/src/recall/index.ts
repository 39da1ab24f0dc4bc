export { recallBlocks } from "./recall-blocks.ts";
export type { RecallBlocksOptions } from "./recall-blocks.ts";
export type { Recall, RecallingScorer } from "../recall.ts";
