/** Tells what a person typed from what a tool writes in a person's name. */
export function isRequestText(text: string): boolean {
  return text.trim() !== "" && !WRITTEN_BY_TOOL.test(text);
}

const WRITTEN_BY_TOOL =
  /^\s*(?:<[a-z_-]+[ >]|\[Request interrupted|This session is being continued|# AGENTS\.md instructions|Caveat: The messages below)/i;
