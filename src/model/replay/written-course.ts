/** A chunk of a course as plain JSON, for a file or a database: each column is its bytes in base64, little-endian. */

import { emptyBreaks, emptyChanges, emptyLegs, emptyLevels } from "./course.ts"
import type { CourseChunk } from "./course.ts"
import type { Column } from "./columns.ts"

const TABLES = { legs: emptyLegs(), changes: emptyChanges(), levels: emptyLevels(), breaks: emptyBreaks() }

type TableName = keyof typeof TABLES

export type WrittenCourse = Omit<CourseChunk, TableName> & {
  readonly [Table in TableName]: { readonly [Name in keyof CourseChunk[Table]]: string }
}

export function writtenCourse(chunk: CourseChunk): WrittenCourse {
  return { ...chunk, ...eachTable((table) => eachColumn(chunk[table], textOf)) } as unknown as WrittenCourse
}

export function courseOf(written: WrittenCourse): CourseChunk {
  const tables = eachTable((table) => {
    const empty = TABLES[table] as unknown as Readonly<Record<string, Column>>
    return eachColumn(written[table], (text: string, name) => columnOf(text, empty[name] ?? new Uint8Array()))
  })
  return { ...written, ...tables } as unknown as CourseChunk
}

function eachTable<A>(write: (table: TableName) => A): Readonly<Record<string, A>> {
  return Object.fromEntries((Object.keys(TABLES) as TableName[]).map((table) => [table, write(table)]))
}

function eachColumn<A, B>(table: object, write: (column: A, name: string) => B): Readonly<Record<string, B>> {
  return Object.fromEntries(Object.entries(table).map(([name, column]) => [name, write(column as A, name)]))
}

/** Bytes at once: an engine bounds how many arguments a call has. */
const PART_BYTES = 0x2000

function textOf(column: Column): string {
  const bytes = new Uint8Array(column.buffer, column.byteOffset, column.byteLength)
  let text = ""
  for (let at = 0; at < bytes.length; at += PART_BYTES)
    text += String.fromCharCode(...bytes.subarray(at, at + PART_BYTES))
  return btoa(text)
}

function columnOf(text: string, like: Column): Column {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  return new (like.constructor as new (buffer: ArrayBuffer) => Column)(bytes.buffer)
}
