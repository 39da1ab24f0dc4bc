// The contract of the offline model for those who build on it: each line is public.
export type {
  ChatMessage,
  ChatModel,
  ModelEvent,
  ModelReply,
  ModelRequest,
  ModelUsage,
} from "./model/chat-model.ts";
export { offlineModel } from "./model/offline-model.ts";

// What a prompt for it looks like, and its answers
export { HEADINGS, messageHeading } from "./model/message-heading.ts";
export { replyFormOf, withReplyForm } from "./model/reply-forms.ts";
export type { ReplyForm } from "./model/reply-forms.ts";
export { ASKED, WORK_FAILED } from "./model/summary-lines.ts";
export { isAnswerable } from "./model/is-answerable.ts";
export { readEvidence } from "./model/evidence.ts";
export type { Evidence } from "./model/evidence.ts";

// Documents
export { openFolder } from "./documents/open-folder.ts";
export type { DocumentFolder, OpenFolderOptions } from "./documents/open-folder.ts";
export type { Document, FileKind } from "./documents/document.ts";
export type { SkippedFile, SkipReason } from "./documents/skipped-file.ts";
export { fileKind } from "./documents/file-kind.ts";
export { findBarred } from "./documents/find-barred.ts";

// Search and tools
export { searchIndex } from "./search/search-index.ts";
export type { SearchIndex, SearchOptions } from "./search/search-index.ts";
export { splitPassages } from "./search/split-passages.ts";
export type { Passage } from "./search/passage.ts";
export { terms } from "./language/terms.ts";
export { folderTools } from "./tools/folder-tools.ts";
export type { Toolbox } from "./tools/folder-tools.ts";
export type { Shelf } from "./tools/shelf.ts";
export type { ToolResult } from "./tools/tool.ts";
export { readSourceUri } from "./tools/source-uri.ts";
export type { SourceRange } from "./tools/source-uri.ts";
