/** What src/library-internals/pglite.ts relies on in PGlite 0.5. */

import { PGlite, protocol } from "@electric-sql/pglite"
import { afterAll, beforeAll, expect, test } from "vitest"
import { alone, aloneAsTransaction, memoryBytesOf } from "../../src/library-internals/pglite.ts"

let client: PGlite

beforeAll(async () => {
  client = await PGlite.create()
})
afterAll(async () => {
  if (!client.closed) await client.close()
})

const select = () => client.execProtocolStream(protocol.serialize.query("select 1"))

test("messages of the protocol wait for a transaction of PGlite's, and its queries wait for them", async () => {
  const done: string[] = []
  const note = (what: string) => () => void done.push(what)
  const begun: Promise<void>[] = []
  await client.transaction(async (inside) => {
    begun.push(aloneAsTransaction(client, () => alone(client, select)).then(note("our messages")))
    await inside.query("select 1")
    await inside.query("select 1")
    done.push("its transaction")
  })
  await Promise.all(begun)
  await aloneAsTransaction(client, async () => {
    begun.push(client.query("select 1").then(note("its query")))
    await alone(client, select)
    await alone(client, select)
    done.push("our transaction")
  })
  await Promise.all(begun)
  expect(done).toEqual(["its transaction", "our messages", "our transaction", "its query"])
})

test("the memory is known while it is open", async () => {
  expect(memoryBytesOf(client)).toBeGreaterThan(1_048_576)
  const other = await PGlite.create()
  await other.close()
  expect(memoryBytesOf(other)).toBeNull()
})
