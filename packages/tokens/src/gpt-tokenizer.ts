// For runtimes without Node and WebAssembly: each line is public. Everything else is in the root, which such runtimes can import too.
export { gptTokenizerCounter } from "./gpt-tokenizer-counter.ts";
