/**
 * Connections to PostgreSQL that are written to in few pieces. The driver (postgres 3.4.9) gathers what is sent at one time
 * only until it has a kilobyte, so that the statements of a transaction left in a dozen pieces, each a call of the operating
 * system: a fifth of the service's processor time (src/DECISIONS.md §26).
 */

import { connect } from "node:net"
import type { Socket } from "node:net"

/** As the driver gives it to whoever makes its sockets. */
interface Wanted {
  readonly host: readonly string[]
  readonly port: readonly number[]
  /** Of a socket in the file system; false when there is none. */
  readonly path: string | false
}

/** What a client of this URL is made with besides. Of several hosts the driver itself chooses, on its own sockets. */
export function gatheringWrites(url: string): { readonly socket?: (wanted: Wanted) => Socket } {
  return namesSeveralHosts(url) ? {} : { socket: connecting }
}

function namesSeveralHosts(url: string): boolean {
  return /^[^/]*\/\/[^/]*,/.test(url)
}

/** The driver writes to it at once, listens for its end, and bounds how long it may take to connect. */
function connecting({ host: [host = "localhost"], port: [port = 0], path }: Wanted): Socket {
  if (path !== false) return gathering(connect(path))
  // The name that TLS asks the server's certificate for.
  return Object.assign(gathering(connect(port, host)), { host })
}

/** What is written before everything that is ready has run leaves in one piece. Connecting gives a socket its own `write` back. */
function gathering(socket: Socket): Socket {
  const write = socket.write.bind(socket) as (...args: readonly unknown[]) => boolean
  const uncork = (): void => socket.uncork()
  // The driver's own pause, for less than a kilobyte, may have begun after this one.
  const afterPause = (): unknown => setImmediate(uncork)
  socket.write = (...args: readonly unknown[]) => {
    if (socket.writableCorked === 0) {
      socket.cork()
      setImmediate(afterPause)
    }
    return write(...args)
  }
  return socket
}
