/**
 * A PostgreSQL client whose queries are prepared, one round trip instead of two. Drizzle sends every query unprepared,
 * and the driver then asks the server for its types each time.
 */

import type { Sql } from "postgres"

type Unsafe = Sql["unsafe"]
type Options = Parameters<Unsafe>[2]

/** Longer texts, inserts of many rows mostly, come in too many forms to keep a plan for each. */
const PREPARED_LENGTH_MAX = 4_000

/** The same client. */
export function preparing<Client extends Sql>(client: Client): Client {
  const unsafe = (text: string, values: Parameters<Unsafe>[1], options?: Options) => {
    const prepare = (values?.length ?? 0) > 0 && text.length <= PREPARED_LENGTH_MAX
    return client.unsafe(text, values, { ...options, prepare })
  }
  return new Proxy(client, {
    get: (target, name) => (name === "unsafe" ? unsafe : (Reflect.get(target, name) as unknown)),
  })
}
