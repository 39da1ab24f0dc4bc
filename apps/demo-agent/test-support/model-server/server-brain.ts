import { offlineModel, replyFormOf } from "@agent-history/offline-model";
import type { ChatModel } from "@agent-history/offline-model";

/** Thinks as the offline model does, and writes a short summary where one is asked for. */
export function serverBrain(): ChatModel {
  const offline = offlineModel();
  return async (request) => {
    const isSummary = replyFormOf(request.messages[0]?.content ?? "") === "";
    return isSummary ? { text: "It looked for passages about the question." } : offline(request);
  };
}
