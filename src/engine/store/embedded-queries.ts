/**
 * The embedded database's client, which sends each statement in one call. PGlite itself (0.5) parses every statement
 * each time and calls its server six times for it: parse, two descriptions, bind, execute, sync. Here a statement is
 * parsed once under a name; after that its values, its execution and the sync are sent together, in about a third of
 * the time. It uses PGlite's own locks, so code that uses the client itself, such as scheduled work, still alternates
 * with these statements. Folder and memory are written synchronously: no flush is needed after a statement.
 */

import { protocol, types } from "@electric-sql/pglite"
import type { PGlite, QueryOptions } from "@electric-sql/pglite"
import { alone, aloneAsTransaction } from "../library-internals/pglite.ts"
import { EMBEDDED_STATEMENTS_MAX } from "./bounds.ts"

type Message = Awaited<ReturnType<PGlite["execProtocolStream"]>>[number]
type RowDescription = InstanceType<typeof protocol.messages.RowDescriptionMessage>
type Query = (text: string, values?: readonly unknown[], options?: QueryOptions) => Promise<Found>

/** The part of PGlite's result that drizzle uses. */
interface Found {
  readonly rows: unknown[]
}

/** The part of a client that drizzle uses. */
export interface EmbeddedClient {
  readonly query: Query
  readonly transaction: <A>(body: (inside: { readonly query: Query }) => Promise<A>) => Promise<A>
}

/** A statement that the server has parsed. */
interface Statement {
  /** Empty for a statement that is not kept. */
  readonly name: string
  readonly parameterTypes: readonly number[]
  readonly columns: readonly { readonly name: string; readonly type: number }[]
}

const { serialize } = protocol

export function embeddedQueries(client: PGlite): EmbeddedClient {
  const statements = new Map<string, Statement>()
  let names = 0

  const parsed = async (text: string): Promise<Statement> => {
    const known = statements.get(text)
    if (known !== undefined) return known
    const isKept = statements.size < EMBEDDED_STATEMENTS_MAX
    if (isKept) names += 1
    const name = isKept ? `s${names}` : ""
    const answered = await client.execProtocolStream(
      together(serialize.parse({ name, text }), serialize.describe({ type: "S", name }), serialize.sync()),
      { syncToFs: false },
    )
    const statement = described(name, answered)
    if (isKept) statements.set(text, statement)
    return statement
  }

  /** The caller must hold the lock of transactions: two concurrent calls would read each other's answers. */
  const runAlone: Query = async (text, values = [], options = {}) => {
    const statement = await parsed(text)
    const answered = await client.execProtocolStream(
      together(
        serialize.bind({ statement: statement.name, values: written(client, statement, values) }),
        serialize.execute({}),
        serialize.sync(),
      ),
      { syncToFs: false },
    )
    return { rows: rowsOf(answered, readerOf(client, statement, options)) }
  }

  /** Inside a transaction. */
  const run: Query = (...query) => alone(client, () => runAlone(...query))

  const simple = async (text: string): Promise<readonly Message[]> =>
    alone(client, () => client.execProtocolStream(serialize.query(text), { syncToFs: false }))

  return {
    query: async (text, values, options) => {
      await client.waitReady
      return aloneAsTransaction(client, () => runAlone(text, values, options))
    },
    transaction: async (body) => {
      await client.waitReady
      return aloneAsTransaction(client, async () => {
        await simple("begin")
        try {
          const value = await body({ query: run })
          await committed(simple)
          return value
        } catch (cause) {
          // The error of the body is more specific than a failed rollback.
          await simple("rollback").catch(() => undefined)
          throw cause
        }
      })
    },
  }
}

/** After a failed statement the server answers a commit with a rollback. */
async function committed(simple: (text: string) => Promise<readonly Message[]>): Promise<void> {
  const answered = await simple("commit")
  const isCommitted = answered.some((one) => one.name === "commandComplete" && textOf(one) === "COMMIT")
  if (!isCommitted) throw new Error("a statement failed: the embedded database rolled back")
}

function textOf(message: Message): unknown {
  return (message as InstanceType<typeof protocol.messages.CommandCompleteMessage>).text
}

/** The server processes the messages one after the other, all in one call. */
function together(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function described(name: string, answered: readonly Message[]): Statement {
  const parameters = answered.find(
    (one): one is InstanceType<typeof protocol.messages.ParameterDescriptionMessage> =>
      one.name === "parameterDescription",
  )
  const rows = answered.find((one): one is RowDescription => one.name === "rowDescription")
  return {
    name,
    parameterTypes: parameters?.dataTypeIDs ?? [],
    columns: (rows?.fields ?? []).map((field) => ({ name: field.name, type: field.dataTypeID })),
  }
}

type Written = NonNullable<NonNullable<Parameters<typeof serialize.bind>[0]>["values"]>

/** Encodes values like PGlite, but sends bytes as they are: it would write two digits for each, one by one. */
function written(client: PGlite, { parameterTypes }: Statement, values: readonly unknown[]): Written {
  return values.map((value, at) => {
    if (value === null || value === undefined) return null
    const type = parameterTypes[at] ?? 0
    if (type === types.BYTEA && value instanceof Uint8Array) return value
    const serializer = client.serializers[type] ?? String
    return serializer(value)
  })
}

type Reader = (fields: readonly (string | null)[]) => unknown

/** Decodes a row like PGlite: as a list, or as an object by column. */
function readerOf(client: PGlite, { columns }: Statement, { rowMode, parsers }: QueryOptions): Reader {
  const readers = columns.map(
    ({ type }) => parsers?.[type] ?? (type === types.BYTEA ? bytesOf : client.parsers[type]),
  )
  const read = (field: string | null, at: number): unknown => {
    if (field === null) return null
    const reader = readers[at]
    return reader === undefined ? field : (reader(field, columns[at]?.type) as unknown)
  }
  if (rowMode === "array") return (fields) => fields.map(read)
  return (fields) => Object.fromEntries(fields.map((field, at) => [columns[at]?.name ?? "", read(field, at)]))
}

/** `\\x00ff` → the bytes 0 and 255. PGlite reads them one by one, which takes a second for a photo. */
function bytesOf(field: string): Uint8Array {
  return new Uint8Array(Buffer.from(field.slice(2), "hex"))
}

function rowsOf(answered: readonly Message[], reader: Reader): unknown[] {
  return answered.flatMap((one) =>
    one.name === "dataRow"
      ? [reader((one as InstanceType<typeof protocol.messages.DataRowMessage>).fields)]
      : [],
  )
}
