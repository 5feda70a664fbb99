/** What src/engine/library-internals/pglite.ts relies on in PGlite 0.5. */

import { PGlite, protocol } from "@electric-sql/pglite"
import { mkdirSync, mkdtempSync, rmdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import {
  alone,
  aloneAsTransaction,
  closeFiles,
  keepMarks,
  memoryBytesOf,
  watchEnd,
} from "../../../src/engine/library-internals/pglite.ts"
import { copiedClient, copyTemplateTo } from "../store/embedded-template.ts"

let client: PGlite

beforeAll(async () => {
  client = await copiedClient()
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

test("a text that begins with U+FEFF comes back whole from every method, in any place of an answer", async () => {
  const marked = await copiedClient()
  const asked =
    "select null a, '\uFEFFone' b, 'two\uFEFF' c, '\uFEFF\uFEFF' d, '' e union all select '\uFEFF', '', '', '', 'é'"
  const dropped = (await marked.query(asked)).rows
  expect(dropped, "PGlite drops it; when this fails, keepMarks can go").toContainEqual({
    a: null,
    b: "one",
    c: "two\uFEFF",
    d: "\uFEFF",
    e: "",
  })
  keepMarks(marked)
  const rows = [
    { a: null, b: "\uFEFFone", c: "two\uFEFF", d: "\uFEFF\uFEFF", e: "" },
    { a: "\uFEFF", b: "", c: "", d: "", e: "é" },
  ]
  expect((await marked.query(asked)).rows).toEqual(rows)
  expect((await marked.exec(`select 1 as n; ${asked}`))[1]?.rows).toEqual(rows)
  expect(await marked.transaction(async (inside) => (await inside.query(asked)).rows)).toEqual(rows)
  const many = await marked.query<{ t: string }>(
    "select '\uFEFF' || repeat('x', 3000) || n t from generate_series(1, 1000) n",
  )
  expect(many.rows.every(({ t }) => t.startsWith("\uFEFFxxx"))).toBe(true)
  await expect(marked.query("select '\uFEFF' || (1 / 0)")).rejects.toMatchObject({ code: "22012" })
  await marked.close()
})

test("the memory is known while it is open", async () => {
  expect(memoryBytesOf(client)).toBeGreaterThan(1_048_576)
  const other = await copiedClient()
  await other.close()
  expect(memoryBytesOf(other)).toBeNull()
})

test("a PANIC ends it: its files are closed without a checkpoint, and no statement reaches the server any more", async () => {
  const dataDir = join(mkdtempSync(join(tmpdir(), "curbline-pglite-")), "database")
  copyTemplateTo(dataDir)
  const ending = await PGlite.create({ dataDir })
  const ended = new Error("it has ended")
  const onEnd = vi.fn<(cause: Error) => Error>(() => ended)
  watchEnd(ending, onEnd)
  await ending.exec("create table kept (n int); insert into kept values (1)")
  await expect(ending.exec("no statement")).rejects.toThrow("syntax error")
  expect(onEnd).not.toHaveBeenCalled()
  // Each checkpoint writes a file of this name.
  const obstacle = join(dataDir, "pg_logical/replorigin_checkpoint.tmp")
  mkdirSync(obstacle)
  await expect(ending.exec("checkpoint")).rejects.toBe(ended)
  rmdirSync(obstacle)
  const sent = vi.spyOn(ending, "execProtocolRawSync")
  for (const statement of [
    () => ending.query("select 1"),
    () => ending.exec("select 1"),
    () => ending.transaction((inside) => inside.exec("select 1")),
    () => ending.execProtocolStream(protocol.serialize.query("select 1")),
  ])
    await expect(statement()).rejects.toBe(ended)
  await closeFiles(ending)
  expect([onEnd.mock.calls.length, sent.mock.calls.length]).toEqual([1, 0])
  const again = await PGlite.create({ dataDir })
  expect((await again.query("select n from kept")).rows).toEqual([{ n: 1 }])
  await again.close()
})
