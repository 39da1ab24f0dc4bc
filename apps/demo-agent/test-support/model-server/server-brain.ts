import type { ChatModel } from "../../src/model/chat-model.ts";
import { offlineModel } from "../../src/model/offline-model.ts";
import { replyFormOf } from "../../src/model/reply-forms.ts";

/** Thinks as the offline model does, and writes a short summary where one is asked for. */
export function serverBrain(): ChatModel {
  const offline = offlineModel();
  return async (request) => {
    const isSummary = replyFormOf(request.messages[0]?.content ?? "") === "";
    return isSummary ? { text: "It looked for passages about the question." } : offline(request);
  };
}
