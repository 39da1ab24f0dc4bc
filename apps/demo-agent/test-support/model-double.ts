import { offlineModel, replyFormOf } from "@agent-history/offline-model";
import type { ChatModel, ModelReply, ModelRequest, ReplyForm } from "@agent-history/offline-model";

/** What a double replies in place of the offline model; nothing to let that reply. */
export type Replies = Partial<Record<ReplyForm, (request: ModelRequest) => ModelReply | undefined>>;

/** Makes a model that replies as it is told, and as the offline model where it is told nothing. */
export function modelDouble(replies: Replies): ChatModel {
  const offline = offlineModel();
  const byForm = new Map(Object.entries(replies));
  return async (request) => {
    const form = replyFormOf(request.messages[0]?.content ?? "");
    return byForm.get(form)?.(request) ?? offline(request);
  };
}
