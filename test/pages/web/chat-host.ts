/** The script of a page that plays the host of an agent: the official bridge of MCP Apps, and a frame for each card. */

import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge"
import type { Chat, ChatEntry } from "./chat.ts"

type Result = Parameters<AppBridge["sendToolResult"]>[0]

const dark = matchMedia("(prefers-color-scheme: dark)")
const bridges: AppBridge[] = []

const chat: Chat = {
  answer: null,
  refuses: false,
  passesCalls: true,
  log: [],
  clear: () => {
    document.body.replaceChildren()
    bridges.length = 0
    chat.log.length = 0
  },
  show: async (name, says, result) => {
    const place = document.createElement("section")
    const sentence = document.createElement("p")
    sentence.textContent = says
    const frame = document.createElement("iframe")
    frame.title = name
    frame.setAttribute("sandbox", "allow-scripts")
    place.append(sentence, frame)
    document.body.append(place)
    const bridge = bridgeTo(frame)
    bridges.push(bridge)
    const { contentWindow } = frame
    if (contentWindow === null) throw new Error("a frame of a document has a window")
    const ready = new Promise<void>((done) => {
      bridge.oninitialized = () => done()
    })
    await bridge.connect(new PostMessageTransport(contentWindow, contentWindow))
    frame.src = "/card"
    await ready
    void bridge.sendToolInput({ arguments: {} })
    await bridge.sendToolResult(result as Result)
  },
}

function bridgeTo(frame: HTMLIFrameElement): AppBridge {
  const hostContext = { theme: themeNow(), safeAreaInsets: { top: 0, right: 0, bottom: 0, left: 0 } }
  const capabilities = { openLinks: {}, message: {}, ...(chat.passesCalls ? { serverTools: {} } : {}) }
  const bridge = new AppBridge(null, { name: "A chat", version: "1" }, capabilities, { hostContext })
  const note = (kind: ChatEntry["kind"], text: string) => {
    chat.log.push({ kind, text })
    return chat.refuses ? { isError: true } : {}
  }
  bridge.onsizechange = ({ height }) => {
    if (height !== undefined) frame.style.height = `${height}px`
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a request has one handler, whose result is the answer
  bridge.onmessage = async ({ content }) => note("message", textOf(content))
  bridge.onopenlink = async ({ url }) => note("link", url)
  bridge.onupdatemodelcontext = async ({ content = [] }) => {
    note("told", textOf(content))
    if (chat.refuses) throw new Error("this chat takes nothing from cards")
    return {}
  }
  bridge.oncalltool = async ({ name, arguments: args }) => {
    note("call", `${name} ${JSON.stringify(args)}`)
    if (chat.answer === null) throw new Error("there is no connection")
    return chat.answer as Result
  }
  return bridge
}

function textOf(content: readonly object[]): string {
  return content.map((block) => ("text" in block ? String(block.text) : "")).join("\n")
}

function themeNow(): "dark" | "light" {
  return dark.matches ? "dark" : "light"
}

dark.addEventListener("change", () => {
  for (const bridge of bridges) bridge.setHostContext({ theme: themeNow() })
})

Object.assign(globalThis, { chat })
