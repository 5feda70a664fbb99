/** Reads tables beside a model, each once. */

import type { LogReader } from "../language/read-logs.ts"
import { addressBook } from "./address-book.ts"
import type { AddressBook } from "./address-book.ts"
import { bindOrders } from "./bind-orders.ts"
import { readTable } from "./read-table.ts"
import { streetAddresses } from "./street-addresses.ts"
import type { Table, TableFault } from "./table.ts"

/** Of these files; `bytesOf` gives null for a file that is not there, and why one cannot be read. */
export async function tableReader(
  files: Iterable<string>,
  bytesOf: (file: string) => Uint8Array | TableFault | null,
): Promise<LogReader> {
  const tables = new Map<string, Table | TableFault | null>()
  for (const file of files) {
    const bytes = bytesOf(file)
    tables.set(file, bytes === null || "fault" in bytes ? bytes : await readTable(file, bytes))
  }
  let ofStreets: AddressBook | string | null = null
  return (asked) => {
    const { file } = asked.table
    const table = tables.get(file) ?? null
    if (table === null)
      return { at: ["file"], message: `there is no file ${JSON.stringify(file)} beside the model` }
    if ("fault" in table) return { at: ["file"], message: `${file} ${table.fault}` }
    const addresses = asked.table.door?.addresses ?? null
    if (addresses === null) {
      if ((asked.table.door?.address ?? null) === null) return bindOrders(table, asked, null)
      const book = (ofStreets ??= streetAddresses(asked.streets))
      return typeof book === "string"
        ? { at: ["door", "address"], message: book, expected: "addresses: FILE" }
        : bindOrders(table, asked, book)
    }
    const at = ["door", "addresses"]
    const found = tables.get(addresses) ?? null
    if (found === null)
      return { at, message: `there is no file ${JSON.stringify(addresses)} beside the model` }
    const book = "fault" in found ? found : addressBook(found)
    return "fault" in book ? { at, message: `${addresses} ${book.fault}` } : bindOrders(table, asked, book)
  }
}
