import * as z from "zod";

import type {
  AssistantMessageEntry,
  AttachmentEntry,
  SystemMessageEntry,
  UserMessageEntry,
} from "../conversation-entries.ts";
import { ASSISTANT_MESSAGE, ATTACHMENT, SYSTEM_MESSAGE, USER_MESSAGE } from "../entry-types.ts";
import { contentSchema } from "./content-schemas.ts";
import { entryBaseFields } from "./entry-base-schemas.ts";
import type { EntrySchema } from "./entry-base-schemas.ts";
import { identical } from "./internal/identical.ts";
import { nonEmptyText, text } from "./internal/scalars.ts";
import { sealed } from "./internal/sealed.ts";

/** Accepts a `system_message`. */
export const systemMessageSchema: EntrySchema<SystemMessageEntry> = identical<SystemMessageEntry>()(
  sealed({ type: z.literal(SYSTEM_MESSAGE), ...entryBaseFields, content: contentSchema }),
);

/** Accepts a `user_message`. */
export const userMessageSchema: EntrySchema<UserMessageEntry> = identical<UserMessageEntry>()(
  sealed({
    type: z.literal(USER_MESSAGE),
    ...entryBaseFields,
    content: contentSchema,
    rendered: contentSchema.exactOptional(),
  }),
);

/** Accepts an `assistant_message`. */
export const assistantMessageSchema: EntrySchema<AssistantMessageEntry> =
  identical<AssistantMessageEntry>()(
    sealed({ type: z.literal(ASSISTANT_MESSAGE), ...entryBaseFields, content: contentSchema }),
  );

/** Accepts an `attachment`. */
export const attachmentSchema: EntrySchema<AttachmentEntry> = identical<AttachmentEntry>()(
  sealed({
    type: z.literal(ATTACHMENT),
    ...entryBaseFields,
    messageId: nonEmptyText,
    content: contentSchema,
    name: text.exactOptional(),
  }),
);
