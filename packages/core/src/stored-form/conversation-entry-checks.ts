import type {
  AssistantMessageEntry,
  AttachmentEntry,
  SystemMessageEntry,
  UserMessageEntry,
} from "../conversation-entries.ts";
import { ASSISTANT_MESSAGE, ATTACHMENT, SYSTEM_MESSAGE, USER_MESSAGE } from "../entry-types.ts";
import type { Check } from "./checks/check.ts";
import { optionalField, sealedCheck } from "./checks/object-checks.ts";
import { literalCheck, nonEmptyTextCheck, textCheck } from "./checks/scalar-checks.ts";
import { contentCheck } from "./content-checks.ts";
import { entryBaseChecks } from "./entry-base-checks.ts";

/** Takes a `system_message`. */
export const systemMessageCheck: Check<SystemMessageEntry> = sealedCheck<SystemMessageEntry>({
  type: literalCheck(SYSTEM_MESSAGE),
  ...entryBaseChecks,
  content: contentCheck,
});

/** Takes a `user_message`. */
export const userMessageCheck: Check<UserMessageEntry> = sealedCheck<UserMessageEntry>({
  type: literalCheck(USER_MESSAGE),
  ...entryBaseChecks,
  content: contentCheck,
  rendered: optionalField(contentCheck),
});

/** Takes an `assistant_message`. */
export const assistantMessageCheck: Check<AssistantMessageEntry> =
  sealedCheck<AssistantMessageEntry>({
    type: literalCheck(ASSISTANT_MESSAGE),
    ...entryBaseChecks,
    content: contentCheck,
  });

/** Takes an `attachment`. */
export const attachmentCheck: Check<AttachmentEntry> = sealedCheck<AttachmentEntry>({
  type: literalCheck(ATTACHMENT),
  ...entryBaseChecks,
  messageId: nonEmptyTextCheck,
  content: contentCheck,
  name: optionalField(textCheck),
});
