/** Tells what a person typed from what a tool writes in a person's name. */
export function isRequestText(text: string): boolean {
  return text.trim() !== "" && !WRITTEN_BY_TOOL.test(text);
}

const WRITTEN_BY_TOOL =
  /^\s*(?:<[a-z_-]+[ >]|\[Request interrupted|This session is being continued|# AGENTS\.md instructions|Caveat: The messages below)/i;

/** The beginning of a request, on one line, to name its turn by. */
export function requestTitle(text: string): { readonly title?: string } {
  const title = text
    .slice(0, 400)
    .replaceAll(/<[^>]*>|\s+/g, " ")
    .replaceAll(/ +/g, " ")
    .trim()
    .slice(0, 120);
  return title === "" ? {} : { title };
}
