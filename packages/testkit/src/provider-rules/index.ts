// The contract of the entry: each line is public.
export { anthropicProblems } from "./anthropic-problems.ts";
export { bedrockProblems } from "./bedrock-problems.ts";
export { geminiProblems } from "./gemini-problems.ts";
export { mistralProblems } from "./mistral-problems.ts";
export { openaiChatProblems } from "./openai-chat-problems.ts";
export { openaiResponsesProblems } from "./openai-responses-problems.ts";
export { providerProblems } from "./provider-problems.ts";
export type { ProblemOfProvider, Provider } from "./provider-problems.ts";
export type { ProviderProblem } from "./provider-problem.ts";
