import type * as z from "zod/mini";

/** `true` where two types are the same in every field, `readonly` and `?` included; else `false`. */
export type Identical<Left, Right> =
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only a deferred conditional compares by identity
  (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;

/** The schema itself where it gives exactly `Type`, else `never`. */
export type SchemaOf<Type, Schema extends z.ZodMiniType> =
  Identical<z.output<Schema>, Type> extends true ? Schema : never;

/**
 * Returns a schema back, and does not compile where it gives anything but exactly `Type`. An annotation alone would let
 * a schema be narrower than its type, and so refuse what the type allows.
 */
export function identical<Type>(): <Schema extends z.ZodMiniType>(
  schema: SchemaOf<Type, Schema>,
) => SchemaOf<Type, Schema> {
  return (schema) => schema;
}
