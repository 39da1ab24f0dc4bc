// The suite of message formats: each line is public.
export { arbitraryDamagedMessages } from "./arbitrary-damaged-messages.ts";
export { describeMessageFormat } from "./describe-message-format.ts";
export type { FormatSuiteOptions, FormatUnderTest } from "./describe-message-format.ts";
export { describeStrangeInput } from "./describe-strange-input.ts";
export type { StrangeInput } from "./describe-strange-input.ts";
