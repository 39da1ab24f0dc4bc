import type { Content } from "./content.ts";
import type { EntryBase } from "./entry-base.ts";

/** Instructions for the model. Never dropped, never moved. */
export interface SystemMessageEntry extends EntryBase {
  readonly type: "system_message";
  readonly content: Content;
}

/** The user's message. */
export interface UserMessageEntry extends EntryBase {
  readonly type: "user_message";
  /** The user's original text. */
  readonly content: Content;
  /** Shown to the model instead, if it differs (a filled template). */
  readonly rendered?: Content;
}

/** The answer to the user. */
export interface AssistantMessageEntry extends EntryBase {
  readonly type: "assistant_message";
  readonly content: Content;
}

/** A file or image that a user message brought. */
export interface AttachmentEntry extends EntryBase {
  readonly type: "attachment";
  /** The id of the `user_message` that brought it. */
  readonly messageId: string;
  readonly content: Content;
  /** A display name, for example the file name. */
  readonly name?: string;
}
