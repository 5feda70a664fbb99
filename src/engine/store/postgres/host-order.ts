/** The order in which the hosts of a `DATABASE_URL` are tried: a host that failed is tried last. */

import { nameOf } from "../../library-internals/postgres-driver.ts"
import type { Host } from "../../library-internals/postgres-driver.ts"

/** Shared by all connections of a node, so that they agree on one host. */
export class HostOrder {
  /** The host that failed last is the last one. */
  readonly #failed: string[] = []

  sorted(hosts: readonly Host[]): Host[] {
    const rank = (host: Host): number => this.#failed.indexOf(nameOf(host))
    return hosts.toSorted((one, other) => rank(one) - rank(other))
  }

  putLast(host: Host): void {
    const name = nameOf(host)
    const known = this.#failed.indexOf(name)
    if (known >= 0) this.#failed.splice(known, 1)
    this.#failed.push(name)
  }
}
