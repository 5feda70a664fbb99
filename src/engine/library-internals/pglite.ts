/**
 * Uses of PGlite's internals (0.5).
 *
 * - Its two locks: statements that are sent as protocol messages must alternate with those of PGlite's own methods, and
 *   only `_runExclusiveQuery` and `_runExclusiveTransaction` take the same locks.
 * - Every statement of every method is sent by `execProtocol` or `execProtocolStream` of the object, so replacing these two
 *   sees the end of the server and keeps further statements from it. After a PANIC the module would go on in a state that
 *   PostgreSQL calls corrupted, and could change files.
 * - The files that its module holds open, which only `closeFs` closes when `close` must not run: it would let the ended
 *   server write a checkpoint.
 * - Its reader of answers, which drops the byte order mark at the start of a text: PostgreSQL's driver returns it.
 * - The memory of its WebAssembly module, which no public method returns. It never shrinks, so operators monitor it.
 */

import type { PGlite, protocol } from "@electric-sql/pglite"

/** Runs exclusively among the queries of a transaction. */
export function alone<A>(client: PGlite, run: () => Promise<A>): Promise<A> {
  return client._runExclusiveQuery(run)
}

/** Runs exclusively among transactions and single queries. */
export function aloneAsTransaction<A>(client: PGlite, run: () => Promise<A>): Promise<A> {
  return client._runExclusiveTransaction(run)
}

/** The size of the database's memory; null once it is closed. */
export function memoryBytesOf(client: PGlite): number | null {
  return client.closed ? null : (client.Module["HEAPU8"] as Uint8Array).length
}

/**
 * Calls `onEnd` once, when an answer says that the server has ended (PANIC or FATAL). That statement and every later one is
 * rejected with the error that `onEnd` returns, and none of them reaches the server.
 */
export function watchEnd(client: PGlite, onEnd: (cause: Error) => Error): void {
  let ended: Error | null = null
  const watched =
    <Words extends readonly unknown[], A>(send: (...words: Words) => Promise<A>) =>
    async (...words: Words): Promise<A> => {
      if (ended !== null) throw ended
      try {
        return await send(...words)
      } catch (cause) {
        if (isEnd(cause)) ended ??= onEnd(cause)
        throw ended ?? cause
      }
    }
  client.execProtocol = watched(client.execProtocol.bind(client))
  client.execProtocolStream = watched(client.execProtocolStream.bind(client))
}

type Messages = Awaited<ReturnType<PGlite["execProtocolStream"]>>
type DataRow = InstanceType<typeof protocol.messages.DataRowMessage>

const MARK = Buffer.from("\uFEFF")

/** Returns texts that begin with U+FEFF as they were sent, for every method of the client. Must come before `watchEnd`. */
export function keepMarks(client: PGlite): void {
  const exec = client.execProtocol.bind(client)
  client.execProtocol = async (...words) => {
    const answered = await exec(...words)
    restoreMarks(
      answered.messages,
      Buffer.from(answered.data.buffer, answered.data.byteOffset, answered.data.length),
    )
    return answered
  }
  // The stream gives no bytes. It only saves their copy.
  client.execProtocolStream = async (...words) => (await client.execProtocol(...words)).messages
}

/** Source: PostgreSQL, "Message Formats", DataRow: type, length, number of fields; for each its length and bytes. */
function restoreMarks(messages: Messages, bytes: Buffer): void {
  if (!bytes.includes(MARK)) return
  const rows = messages.filter((one): one is DataRow => one.name === "dataRow")
  let [at, row] = [0, 0]
  while (at < bytes.length) {
    if (bytes[at] === DATA_ROW) restoreRow(rows[row++]?.fields ?? [], bytes, at + 7)
    at += 1 + bytes.readInt32BE(at + 1)
  }
}

const DATA_ROW = "D".charCodeAt(0)

function restoreRow(fields: (string | null)[], bytes: Buffer, from: number): void {
  let at = from
  for (const [index, field] of fields.entries()) {
    const length = bytes.readInt32BE(at)
    at += 4
    if (field === null) continue
    if (bytes.subarray(at, at + length).indexOf(MARK) === 0) fields[index] = `\uFEFF${field}`
    at += length
  }
}

/** Source: PostgreSQL, "Message Severity Levels": after these the server process ends. */
function isEnd(cause: unknown): cause is Error {
  return (
    cause instanceof Error &&
    "severity" in cause &&
    (cause.severity === "PANIC" || cause.severity === "FATAL")
  )
}

/** Closes the files of a client whose server has ended or did not start, and nothing else. */
export async function closeFiles({ fs }: PGlite): Promise<void> {
  await fs?.closeFs()
}
