import type { AttachmentEntry, EntryFields, UserMessageEntry } from "@agent-history/core";

/** What the user asks, with what they bring. */
export interface NewUserMessage extends EntryFields<"user_message"> {
  /** Files and images that belong to it; they are kept with it, in one write. */
  readonly attachments?: readonly NewAttachment[];
}

/** A file or image of a user message. Its id, where it has none, is made from the message's. */
export type NewAttachment = Omit<EntryFields<"attachment">, "messageId">;

/** A user message as it was kept. */
export interface AddedUserMessage {
  readonly message: UserMessageEntry;
  readonly attachments: readonly AttachmentEntry[];
}
