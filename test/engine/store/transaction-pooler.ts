/**
 * A pooler that lends a session of PostgreSQL for one transaction at a time, as PgBouncer with `pool_mode = transaction`.
 * It knows no passwords. Source: PostgreSQL protocol 3.0, message formats.
 */

import { once } from "node:events"
import { connect, createServer } from "node:net"
import type { AddressInfo, Socket } from "node:net"

export interface TransactionPooler {
  readonly url: string
  readonly close: () => Promise<void>
}

/** A session of the server. */
interface Session {
  readonly socket: Socket
  /** The answer to its start, which each client gets. */
  greeting: Buffer
  client: Client | null
}

interface Client {
  readonly socket: Socket
  waiting: Buffer[]
  session: Session | null
  /** Requests that the server has not answered with `ReadyForQuery`. */
  open: number
}

export async function startTransactionPooler(serverUrl: string): Promise<TransactionPooler> {
  const target = new URL(serverUrl)
  const free: Session[] = []
  const sockets = new Set<Socket>()

  const openSession = async (start: Buffer): Promise<Session> => {
    const socket = connect(Number(target.port), target.hostname)
    sockets.add(socket)
    const session: Session = { socket, greeting: Buffer.alloc(0), client: null }
    const ready = Promise.withResolvers<void>()
    onMessages(socket, (message) => {
      if (session.client === null) {
        session.greeting = Buffer.concat([session.greeting, message])
        if (message[0] === READY) ready.resolve()
      } else fromServer(session, session.client, message)
    })
    socket.write(start)
    await ready.promise
    return session
  }

  const fromServer = (session: Session, client: Client, message: Buffer): void => {
    client.socket.write(message)
    if (message[0] !== READY) return
    client.open -= 1
    if (client.open > 0 || message[5] !== IDLE) return
    client.session = null
    session.client = null
    free.push(session)
  }

  const greeted = async (socket: Socket, start: Buffer): Promise<void> => {
    const session = await openSession(start)
    free.push(session)
    socket.write(session.greeting)
  }

  const send = async (client: Client, start: Buffer): Promise<void> => {
    if (client.session === null) {
      const session = free.pop() ?? (await openSession(start))
      session.client = client
      client.session = session
    }
    for (const message of client.waiting.splice(0)) client.session.socket.write(message)
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => socket.destroy())
    const client: Client = { socket, waiting: [], session: null, open: 0 }
    let sending = Promise.resolve()
    socket.once("data", (start: Buffer) => {
      sending = greeted(socket, start)
      onMessages(socket, (message) => {
        if (message[0] === QUERY || message[0] === SYNC) client.open += 1
        client.waiting.push(message)
        sending = sending.then(() => send(client, start))
      })
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = new URL(serverUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    },
  }
}

/** Each message has its letter and, after it, its length. */
function onMessages(socket: Socket, take: (message: Buffer) => void): void {
  let unread = Buffer.alloc(0)
  socket.on("data", (data: Buffer) => {
    unread = Buffer.concat([unread, data])
    for (;;) {
      const end = unread.length < 5 ? Infinity : unread.readUInt32BE(1) + 1
      if (unread.length < end) return
      const message = unread.subarray(0, end)
      unread = unread.subarray(end)
      take(message)
    }
  })
}

const READY = "Z".charCodeAt(0)
const IDLE = "I".charCodeAt(0)
const QUERY = "Q".charCodeAt(0)
const SYNC = "S".charCodeAt(0)
