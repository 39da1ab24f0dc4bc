import { postProcessor } from "@agent-history/postprocess";
import type { PostProcessor } from "@agent-history/postprocess";

/** Marks what this post-processor added; stored threads carry it, so it never changes. */
const NONCE = "r4w8k2m7t1xq9dzb";
const MARK = new RegExp(`<!--/?ah:${NONCE}-->`, "g");

/** Makes the post-processor that ends an answer with questions one could ask next, and takes them away again from a prompt. */
export function followUpQuestions(questions: readonly string[]): PostProcessor {
  return postProcessor({
    name: "follow-up-questions",
    nonce: NONCE,
    apply: (text, { mark }) =>
      questions.length === 0
        ? text
        : text + mark(`\n\nAsk next\n${questions.map((question) => `- ${question}`).join("\n")}`),
  });
}

/** Leaves out the marks, which are comments in Markdown, where a terminal would print them. */
export function hideMarks(text: string): string {
  return text.replace(MARK, "");
}
