/** One law broken at one entry. */
export interface Violation {
  /** The law of the design: pairing, order, the question, numbers, whole turns, the newest entry. */
  readonly law: "L1" | "L2" | "L3" | "L6" | "L15" | "L16";
  /** What of it was broken. */
  readonly rule: ViolationRule;
  /** Where. */
  readonly entryId: string;
  /** A sentence for a person, without text of the conversation. */
  readonly message: string;
}

/**
 * What can be broken.
 *
 * - L1: `duplicate-id`, `missing-call-id`, `orphan-result`, `unanswered-call`, `scattered-exchange`, `split-exchange`
 * - L2: `order-changed`, `system-message-lost`, `system-message-changed`
 * - L3: `question-lost`, `question-changed`, `running-exchange-lost`
 * - L6: `number-reused`, `number-changed`
 * - L15: `request-without-answer`, `answer-without-request`, `begins-with-answer`, `role-repeated`
 * - L16: `newest-lost`, `newest-changed`
 */
export type ViolationRule =
  | "duplicate-id"
  | "missing-call-id"
  | "orphan-result"
  | "unanswered-call"
  | "scattered-exchange"
  | "split-exchange"
  | "order-changed"
  | "system-message-lost"
  | "system-message-changed"
  | "question-lost"
  | "question-changed"
  | "running-exchange-lost"
  | "number-reused"
  | "number-changed"
  | "request-without-answer"
  | "answer-without-request"
  | "begins-with-answer"
  | "role-repeated"
  | "newest-lost"
  | "newest-changed";
