import { describe, expect, it } from "vitest";

import { auditThread, violations } from "../../test-support/oracle/audit.ts";
import { ledger } from "../../test-support/oracle/ledger.ts";

describe("auditThread", () => {
  const [a0, a1, b0, b1, b2] = ["a.0.0.2", "a.0.1.2", "b.0.0.3", "b.0.1.3", "b.0.2.3"] as const;
  const c0 = "a.1.0.1";

  it("finds nothing where all that was acknowledged is there, whole and in order", () => {
    const found = auditOf([a0, a1, b0, b1, b2, c0]);
    expect(found).toMatchObject({ acknowledged: 6, present: 6, unacknowledged: 0 });
    expect(violations(found)).toEqual([]);
  });

  it("counts what was acknowledged and is not there", () => {
    expect(violations(auditOf([a0, a1, c0]))).toEqual(["3 missing"]);
  });

  it("counts an entry that is there twice", () => {
    expect(auditOf([a0, a1, b0, b1, b2, c0, c0]).doubled).toBe(1);
  });

  it("counts a batch of which a part is there", () => {
    expect(auditOf([a0, a1, b0, b2, c0]).torn).toBe(1);
    expect(auditOf([a0, a1, b0, b1, c0]).torn).toBe(1);
    expect(auditOf([a0, a1, b1, b2, c0]).torn).toBe(1);
  });

  it("counts a batch with others in between", () => {
    expect(auditOf([b0, b1, a0, a1, b2, c0]).torn).toBe(1);
  });

  it("counts a batch that stands before an older one of its writer", () => {
    expect(auditOf([c0, a0, a1, b0, b1, b2]).outOfOrder).toBe(2);
  });

  it("counts what nobody sent", () => {
    expect(auditOf([a0, a1, b0, b1, b2, c0, "d.0.0.1"]).foreign).toBe(1);
    expect(auditOf([a0, a1, b0, b1, b2, c0, "else"]).foreign).toBe(1);
  });

  it("does not hold a lost answer against the store", () => {
    const book = ledger();
    book.sent({ thread: "t", writer: "a", batch: 0, size: 2 });
    const found = auditThread([a0, a1], book.batches("t"));
    expect(found).toMatchObject({ acknowledged: 0, present: 2, unacknowledged: 2 });
    expect(violations(found)).toEqual([]);
  });
});

function auditOf(ids: readonly string[]): ReturnType<typeof auditThread> {
  const book = ledger();
  book.acknowledged({ thread: "t", writer: "a", batch: 0, size: 2 });
  book.acknowledged({ thread: "t", writer: "b", batch: 0, size: 3 });
  book.acknowledged({ thread: "t", writer: "a", batch: 1, size: 1 });
  return auditThread(ids, book.batches("t"));
}
