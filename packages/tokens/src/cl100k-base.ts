// The encoding of gpt-4 and gpt-3.5, with its table alone and without Node: each line is public.
export { cl100kBaseCounter } from "./cl100k-base-counter.ts";
