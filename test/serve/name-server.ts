/** A name server on the loopback, over UDP, which behaves as the first part of a name says. Source: RFC 1035 §4.1. */

import { createSocket } from "node:dgram"
import { once } from "node:events"

export interface NameServer {
  /** Address and port, as `CURBLINE_NAME_SERVERS` wants them. */
  readonly address: string
  /** Names that were asked for, in order; each family of addresses is a question of its own. */
  readonly asked: readonly string[]
  /** From now on, names with this end get no answer. */
  readonly silence: (end: string) => void
  readonly stop: () => void
}

export const PUBLIC_ADDRESS = "93.184.215.14"
export const PRIVATE_ADDRESS = "10.0.0.7"

const A = 1
const AAAA = 28
const SERVER_FAILURE = 2
const NO_SUCH_NAME = 3

interface Reply {
  readonly code: number
  readonly address: Buffer | null
}

/**
 * `away…` fails; `silent…` never answers; `unknown…` does not exist, nor does an address as a name; `private…` has a private address; `dual…` has an address of
 * each family, and `half…` has one and no answer for the other. All other names have one public address.
 */
function replyTo(name: string, type: number): Reply | null {
  const four = (address: string): Reply => ({
    code: 0,
    address: type === A ? Buffer.from(address.split(".").map(Number)) : null,
  })
  if (name.startsWith("silent") || (name.startsWith("half") && type === AAAA)) return null
  if (name.startsWith("away")) return { code: SERVER_FAILURE, address: null }
  if (name.startsWith("unknown") || /^[\d.]+$/.test(name)) return { code: NO_SUCH_NAME, address: null }
  if (name.startsWith("private")) return four(PRIVATE_ADDRESS)
  if (name.startsWith("dual") && type === AAAA)
    return { code: 0, address: Buffer.from("26064700470000000000000000001111", "hex") }
  return four(PUBLIC_ADDRESS)
}

export async function startNameServer(port = 0, host = "127.0.0.1"): Promise<NameServer> {
  const asked: string[] = []
  const silent: string[] = []
  const socket = createSocket("udp4")
  socket.on("message", (message, from) => {
    const { name, type, question } = questionIn(message)
    asked.push(name)
    const reply = silent.some((end) => name.endsWith(end)) ? null : replyTo(name, type)
    if (reply === null) return
    socket.send(answer(message, question, { type, ...reply }), from.port, from.address)
  })
  socket.bind(port, host)
  await once(socket, "listening")
  const { port: bound } = socket.address()
  return {
    address: `${host}:${bound}`,
    asked,
    silence: (end) => void silent.push(end),
    stop: () => void socket.close(),
  }
}

function questionIn(message: Buffer): {
  readonly name: string
  readonly type: number
  readonly question: Buffer
} {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("ascii", at + 1, at + 1 + length))
    at += 1 + length
  }
  return {
    name: labels.join(".").toLowerCase(),
    type: message.readUInt16BE(at + 1),
    question: message.subarray(12, at + 5),
  }
}

function answer(
  message: Buffer,
  question: Buffer,
  { type, code, address }: Reply & { type: number },
): Buffer {
  const header = Buffer.alloc(12)
  message.copy(header, 0, 0, 2)
  // A response with recursion.
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(address === null ? 0 : 1, 6)
  if (address === null) return Buffer.concat([header, question])
  const record = Buffer.alloc(12)
  // The name of the question.
  record.writeUInt16BE(0xc00c, 0)
  record.writeUInt16BE(type, 2)
  record.writeUInt16BE(1, 4)
  record.writeUInt32BE(60, 6)
  record.writeUInt16BE(address.length, 10)
  return Buffer.concat([header, question, record, address])
}
