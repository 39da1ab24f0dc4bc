// The public API of `@agent-history/reducer/lexical`.
export { lexicalScorer } from "./lexical-scorer.ts";
export type { LexicalScorer, LexicalScorerOptions } from "./lexical-scorer.ts";
export { ENGLISH_RECALL } from "../internal/english-recall.ts";
