import * as z from "zod";

/** An object of exactly the fields of `Shape`. */
export type Sealed<Shape extends z.core.$ZodShape> = z.ZodReadonly<
  z.ZodObject<Shape, z.core.$strict>
>;

/** Builds the schema of a frozen object that has no field beside those of `shape`. */
export function sealed<const Shape extends z.core.$ZodShape>(shape: Shape): Sealed<Shape> {
  const known = Object.keys(shape).join(", ");
  return z
    .strictObject(shape, {
      error: (issue) =>
        issue.code === "unrecognized_keys"
          ? `Expected no field beside ${known}`
          : "Expected an object",
    })
    .readonly();
}
