/** Names that this machine gives to addresses itself, before any name server is asked: its hosts file, and `localhost`. */

import { readFileSync, statSync } from "node:fs"
import { isIP } from "node:net"

export class HostsFile {
  readonly #path: string
  #addressesByName: ReadonlyMap<string, readonly string[]> = new Map()
  /** Changes when the file does. */
  #version = ""

  constructor(path = "/etc/hosts") {
    this.#path = path
  }

  /** Null for a name that is not this machine's own. Reads the file again when it was changed. */
  addressesOf(host: string): readonly string[] | null {
    const name = host.toLowerCase().replace(/\.$/, "")
    this.#refresh()
    const known = this.#addressesByName.get(name)
    if (known !== undefined) return known
    // Source: RFC 6761 §6.3.
    return name === "localhost" || name.endsWith(".localhost") ? ["127.0.0.1", "::1"] : null
  }

  /** Synchronous: a read of a thread would wait for the other work of threads. */
  #refresh(): void {
    try {
      const { mtimeMs, size, ino } = statSync(this.#path)
      const version = `${mtimeMs} ${size} ${ino}`
      if (version === this.#version) return
      this.#addressesByName = namesIn(readFileSync(this.#path, "utf8"))
      this.#version = version
    } catch {
      // A machine without this file knows no names of its own.
      this.#addressesByName = new Map()
      this.#version = ""
    }
  }
}

/** Each line is an address and its names. Source: hosts(5). */
function namesIn(text: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names.map((one) => one.toLowerCase())) {
      const addresses = found.get(name) ?? []
      if (!addresses.includes(address)) addresses.push(address)
      found.set(name, addresses)
    }
  }
  return found
}
