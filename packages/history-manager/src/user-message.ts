import type { AttachmentEntry, EntryFields, UserMessageEntry } from "@agent-history/core";

/** A user message with its attachments. */
export interface NewUserMessage extends EntryFields<"user_message"> {
  /** Files and images of the message, stored in the same write. */
  readonly attachments?: readonly NewAttachment[];
}

/** A file or image of a user message. Without an id, it gets one derived from the message's. */
export type NewAttachment = Omit<EntryFields<"attachment">, "messageId">;

/** A stored user message. */
export interface AddedUserMessage {
  readonly message: UserMessageEntry;
  readonly attachments: readonly AttachmentEntry[];
}
