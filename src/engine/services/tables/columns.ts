/**
 * Columns of a declared table. These are our own builders, because importing drizzle's takes more than half a second.
 */

import type { EpochMs } from "../../../model/values/time.ts"

/**
 * `choice` is text of a closed set: statements contain its values as literals, so that partial indexes serve prepared
 * plans. `serial` numbers the rows of its table in the order of insertion.
 */
export type ColumnKind =
  "bigint" | "boolean" | "bytes" | "double" | "integer" | "json" | "serial" | "text" | "choice"

export interface Column<
  Value = unknown,
  IsOptional extends boolean = boolean,
  IsHidden extends boolean = boolean,
  IsSealed extends boolean = boolean,
> {
  readonly kind: ColumnKind
  /** The column's name in the database; null: the field's name in snake case. */
  readonly sqlName: string | null
  readonly isNullable: boolean
  /** True when a new row may leave it out: it has a default or is numbered. */
  readonly isOptional: IsOptional
  /** True when only conditions, orders and changes may use it; read rows do not contain it. */
  readonly isHidden: IsHidden
  /** True when a database stores it sealed; memory stores it as it is. */
  readonly isSealed: IsSealed
  readonly fallback: unknown
  /** Only for the type; never set. */
  readonly value?: Value
}

/** A column during its declaration. */
export interface ColumnBuilder<
  Value,
  IsOptional extends boolean = false,
  IsHidden extends boolean = false,
> extends Column<Value, IsOptional, IsHidden, false> {
  readonly nullable: () => ColumnBuilder<Value | null, IsOptional, IsHidden>
  readonly default: (value: Value) => ColumnBuilder<Value, true, IsHidden>
  readonly hidden: () => ColumnBuilder<Value, IsOptional, true>
  /** Sets the column's name if it is not the field's name in snake case. */
  readonly named: (sqlName: string) => ColumnBuilder<Value, IsOptional, IsHidden>
}

export function text(): ColumnBuilder<string> {
  return built("text")
}

export function choice<Word extends string>(): ColumnBuilder<Word> {
  return built("choice")
}

export function integer(): ColumnBuilder<number> {
  return built("integer")
}

export function bigint(): ColumnBuilder<number> {
  return built("bigint")
}

export function double(): ColumnBuilder<number> {
  return built("double")
}

export function boolean(): ColumnBuilder<boolean> {
  return built("boolean")
}

/** Conditions, orders and changes may not name it. */
export function bytes(): ColumnBuilder<Uint8Array> {
  return built("bytes")
}

export function epochMs(): ColumnBuilder<EpochMs> {
  return built("bigint")
}

/** `json`, never `jsonb`, which reorders keys. */
export function json<Value>(): ColumnBuilder<Value> {
  return built("json")
}

export function serial(): ColumnBuilder<number, true> {
  return builderOf({ ...plain("serial"), isOptional: true })
}

/** A column that a database stores sealed with a key of the service, under a name of its own. */
export function sealed<Value>(
  column: Column<Value, false, false, false>,
  sqlName: string | null = null,
): Column<Value, false, false, true> {
  return { ...column, sqlName, isSealed: true }
}

type Spec<IsOptional extends boolean, IsHidden extends boolean> = Omit<
  Column<never, IsOptional, IsHidden, false>,
  "value"
>

function built<Value>(kind: ColumnKind): ColumnBuilder<Value> {
  return builderOf(plain(kind))
}

function plain(kind: ColumnKind): Spec<false, false> {
  return {
    kind,
    sqlName: null,
    isNullable: false,
    isOptional: false,
    isHidden: false,
    isSealed: false,
    fallback: undefined,
  }
}

function builderOf<Value, IsOptional extends boolean, IsHidden extends boolean>(
  spec: Spec<IsOptional, IsHidden>,
): ColumnBuilder<Value, IsOptional, IsHidden> {
  return {
    ...spec,
    nullable: () => builderOf({ ...spec, isNullable: true }),
    default: (value) => builderOf({ ...spec, isOptional: true, fallback: value }),
    hidden: () => builderOf({ ...spec, isHidden: true }),
    named: (sqlName) => builderOf({ ...spec, sqlName }),
  }
}

export type Columns = Readonly<Record<string, Column>>

type ValueOf<One> = One extends Column<infer Value> ? Value : never

/** A row as it is stored, including hidden columns. */
export type StoredRow<C extends Columns> = { readonly [Name in keyof C]: ValueOf<C[Name]> }

/** A row as it is read. */
export type Row<C extends Columns> = {
  readonly [Name in keyof C as C[Name]["isHidden"] extends true ? never : Name]: ValueOf<C[Name]>
}

export type NewRow<C extends Columns> = {
  readonly [Name in keyof C as C[Name]["isOptional"] extends true ? never : Name]: ValueOf<C[Name]>
} & {
  readonly [Name in keyof C as C[Name]["isOptional"] extends true ? Name : never]?: ValueOf<C[Name]>
}
