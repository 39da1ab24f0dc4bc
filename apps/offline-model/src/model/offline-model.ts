import { setImmediate } from "node:timers/promises";

import { HistoryError } from "@agent-history/core";

import type { ChatModel, ModelReply, ModelRequest } from "./chat-model.ts";
import { readPrompt } from "./read-prompt.ts";
import type { ReadPrompt } from "./read-prompt.ts";
import type { ReplyForm } from "./reply-forms.ts";
import { workOnTask } from "./work-on-task.ts";
import { writeAnswer, writeReply, writeSynthesis } from "./write-answers.ts";
import { writeScript, writeSteps, writeStrategicPlan, writeWorkerChoice } from "./write-plans.ts";

const REPLIES: Readonly<
  Record<ReplyForm, (prompt: ReadPrompt, request: ModelRequest) => ModelReply>
> = {
  "strategic-plan": (prompt) => ({ text: writeStrategicPlan(prompt) }),
  "worker-choice": (prompt) => ({ text: writeWorkerChoice(prompt) }),
  steps: (prompt) => ({ text: writeSteps(prompt) }),
  script: (prompt) => ({ text: writeScript(prompt) }),
  "tool-calls-or-report": workOnTask,
  synthesis: (prompt) => ({ text: writeSynthesis(prompt) }),
  answer: (prompt) => ({ text: writeAnswer(prompt) }),
  conversation: (prompt) => ({ text: writeReply(prompt) }),
};

const byForm = new Map<string, (prompt: ReadPrompt, request: ModelRequest) => ModelReply>(
  Object.entries(REPLIES),
);

/**
 * Makes a model that needs no network and no key: deterministic and extractive. It plans by rule, looks for words, and quotes; it
 * knows nothing but the messages of its prompt and writes no sentence of its own.
 *
 * @throws `HistoryError` (as a rejection) with code `MODEL_FAILED` on a reply form that it does not know, `ABORTED` when the signal fires.
 */
export function offlineModel(): ChatModel {
  return async (request) => {
    // As a model on a network would: others get a turn, and so does the one who wants to stop.
    await setImmediate();
    if (request.signal?.aborted === true) {
      throw new HistoryError("The caller's signal fired before the model answered.", {
        code: "ABORTED",
        cause: request.signal.reason,
      });
    }
    const prompt = readPrompt(request.messages);
    const reply = byForm.get(prompt.form);
    if (reply !== undefined) return reply(prompt, request);
    throw new HistoryError(
      "Expected the system message to end with a reply form that the offline model knows.",
      { code: "MODEL_FAILED", details: { form: prompt.form } },
    );
  };
}
