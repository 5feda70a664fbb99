/**
 * A noun of operations as one value: what its rows, requests, columns, commands and forms have in common is said once. It is plain data:
 * the service, the command line and the pages read the same value.
 */

/** What a field holds. Each kind has one check (`noun-schemas.ts`), one type of column and one control in forms. */
export interface FieldValues {
  /** An id that needs no escaping in a path. */
  readonly id: string
  readonly "site id": string
  readonly name: string
  /** A name that may be empty. */
  readonly label: string
  readonly paragraph: string
  readonly "https url": string
  readonly phone: string
  readonly flag: boolean
  /** Degrees, WGS 84. */
  readonly latitude: number
  readonly longitude: number
}

export type FieldKind = keyof FieldValues

/** An option of a command, and what it does: `--logo-url <url>`. */
export type OptionWords = readonly [syntax: string, does: string]

export interface NounField {
  readonly is: FieldKind
  readonly isNullable?: boolean
  /** What a request without it means. A nullable field is null then; any other field without it must be sent. */
  readonly otherwise?: boolean
  /** It is said when the thing is made, and stays. */
  readonly isFixed?: boolean
  /** Of forms, and of the column of a table. */
  readonly label: string
  readonly hint?: string
  /** In a table: instead of an empty value, and instead of one that is too long to be shown. */
  readonly cell?: { readonly none: string; readonly some?: string }
  /** Of commands; those of a flag say it and deny it. */
  readonly option?: OptionWords
  readonly options?: { readonly yes: OptionWords; readonly no: OptionWords }
}

export interface Noun {
  /** As in `retailer`, `CatalogRetailer` and `/internal/v1/retailers`. */
  readonly one: "retailer" | "stall" | "zone"
  readonly many: string
  /** The name of its schema in documents. */
  readonly identifier: string
  readonly description?: string
  /** The field with its id. The service makes one if none is sent. */
  readonly id: string
  readonly idHint: string
  /** Of its page: what it is, and why there may be none. */
  readonly page?: { readonly lead: string; readonly nothing: string }
  /** Fields that are changed together. */
  readonly together?: readonly string[]
  /** By their names on the wire, in the order of documents and forms. */
  readonly fields: Readonly<Record<string, NounField>>
}

/** `logo_url` is `logoUrl` in the program. */
export type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name

export function camel<Name extends string>(name: Name): Camel<Name> {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as Camel<Name>
}

export type ValueOf<Field> = Field extends { readonly is: infer Kind extends FieldKind }
  ? FieldValues[Kind] | (Field extends { readonly isNullable: true } ? null : never)
  : never

type MayBeAbsent<Field> = Field extends { readonly isNullable: true } | { readonly otherwise: boolean }
  ? true
  : false

type Names<N extends Noun, May extends boolean> = {
  [Name in keyof N["fields"] & string]: MayBeAbsent<N["fields"][Name]> extends May ? Name : never
}[keyof N["fields"] & string]

type ChangedNames<N extends Noun> = {
  [Name in keyof N["fields"] & string]: N["fields"][Name] extends { readonly isFixed: true } ? never : Name
}[keyof N["fields"] & string]

type Flat<Type> = { readonly [Name in keyof Type]: Type[Name] }

/** A row of the noun in the program. */
export type RowOf<N extends Noun> = Flat<
  { readonly [Name in N["id"] as Camel<Name>]: string } & {
    readonly [Name in keyof N["fields"] & string as Camel<Name>]: ValueOf<N["fields"][Name]>
  }
>

/** A request for a new one. */
export type NewOf<N extends Noun> = Flat<
  { readonly [Name in N["id"] as Camel<Name>]?: string } & {
    readonly [Name in Names<N, false> as Camel<Name>]: ValueOf<N["fields"][Name]>
  } & { readonly [Name in Names<N, true> as Camel<Name>]?: ValueOf<N["fields"][Name]> }
>

/** A request for a change of one: at least one field. */
export type ChangeOf<N extends Noun> = {
  readonly [Name in ChangedNames<N> as Camel<Name>]?: ValueOf<N["fields"][Name]>
}

/** Keeps the literals of a declaration. */
export function noun<const N extends Noun>(declared: N): N {
  return declared
}

/** The id of a row, or the one that a request asks for. */
export function idIn(declared: Noun, of: object): string | undefined {
  return (of as Readonly<Record<string, string | undefined>>)[camel(declared.id)]
}

/** A row from a request: what the request leaves out is null, or as the field says. */
export function rowFrom<N extends Noun>(declared: N, request: NewOf<N>, id: string): RowOf<N> {
  const sent = request as Readonly<Record<string, unknown>>
  const fields = Object.entries(declared.fields).map(([name, field]) => [
    camel(name),
    sent[camel(name)] ?? field.otherwise ?? null,
  ])
  return { [camel(declared.id)]: id, ...Object.fromEntries(fields) } as RowOf<N>
}
