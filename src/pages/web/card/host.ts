/**
 * The card's side of MCP Apps: JSON-RPC with the host of the agent, by messages of the browser. It is small, because the official client
 * brings a validator of 60 kB; its types are the official ones. Source: MCP extension io.modelcontextprotocol/ui (SEP-1865), revision 2026-01-26.
 */

import type {
  McpUiHostContext,
  McpUiInitializeRequest,
  McpUiInitializeResult,
  McpUiMessageRequest,
  McpUiOpenLinkRequest,
  McpUiSizeChangedNotification,
  McpUiUpdateModelContextRequest,
} from "@modelcontextprotocol/ext-apps"

/** The result of a tool, as far as a card reads it. */
export interface ToolAnswer {
  readonly structuredContent?: unknown
  readonly _meta?: Readonly<Record<string, unknown>>
}

interface CallToolRequest {
  readonly method: "tools/call"
  readonly params: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }
}

type Asked =
  | CallToolRequest
  | McpUiInitializeRequest
  | McpUiMessageRequest
  | McpUiOpenLinkRequest
  | McpUiUpdateModelContextRequest

/** What the host tells by itself. */
interface Heard {
  readonly onAnswer: (answer: ToolAnswer) => void
  readonly onCancel: () => void
  /** Only the fields that have changed. */
  readonly onContext: (context: McpUiHostContext) => void
}

export interface ChatHost {
  /** True when it passes calls of tools on. */
  readonly passesCalls: boolean
  /** Rejects when the host refuses. */
  readonly callTool: (name: string, args: Readonly<Record<string, unknown>>) => Promise<ToolAnswer>
  /** Puts a message of the user into the chat; where that is refused, into what the model knows. False: neither. */
  readonly say: (text: string) => Promise<boolean>
  /** Opens a page outside of the card; false if the host does not. */
  readonly open: (url: string) => Promise<boolean>
}

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: object
  readonly result?: object
  readonly error?: { readonly message?: string }
}

/** Resolves when the host has answered the first message. */
export async function connected({ onAnswer, onCancel, onContext }: Heard): Promise<ChatHost> {
  const frame = window.parent
  const waiting = new Map<number | string, (reply: Message) => void>()
  // A card does not know the origin of its host, and what it sends is for the host to read.
  const post = (message: object): void => frame.postMessage({ jsonrpc: "2.0", ...message }, "*")
  const ask = <A extends object>(asked: Asked): Promise<A> =>
    new Promise((done, fail) => {
      const id = waiting.size === 0 ? 1 : Math.max(...[...waiting.keys()].map(Number)) + 1
      waiting.set(id, ({ result, error }) => {
        waiting.delete(id)
        if (result === undefined) fail(new Error(error?.message ?? "the host gave no result"))
        else done(result as A)
      })
      post({ id, ...asked })
    })
  const told: Readonly<Record<string, (params: object) => void>> = {
    "ui/notifications/tool-result": onAnswer,
    "ui/notifications/tool-cancelled": onCancel,
    "ui/notifications/host-context-changed": (params) => onContext({ ...params }),
  }
  window.addEventListener("message", ({ source, data }: MessageEvent<Message | null>) => {
    if (source !== frame || typeof data !== "object" || data === null) return
    const { id, method, params = {} } = data
    if (method === undefined) waiting.get(id ?? "")?.(data)
    else if (id === undefined) told[method]?.(params)
    else if (ANSWERED.has(method)) post({ id, result: {} })
    else post({ id, error: { code: -32_601, message: "Method not found" } })
  })
  const { hostCapabilities, hostContext } = await ask<McpUiInitializeResult>({
    method: "ui/initialize",
    params: {
      appInfo: { name: "curbline-delivery", version: "1.0.0" },
      appCapabilities: {},
      protocolVersion: "2026-01-26",
    },
  })
  onContext(hostContext)
  post({ method: "ui/notifications/initialized" })
  tellSize((params) => post({ method: "ui/notifications/size-changed", params }))
  const isDone = async (asked: Asked): Promise<boolean> => {
    const { isError } = await ask<{ isError?: boolean }>(asked).catch(() => ({ isError: true }))
    return isError !== true
  }
  return {
    passesCalls: hostCapabilities.serverTools !== undefined,
    callTool: (name, args) => ask({ method: "tools/call", params: { name, arguments: args } }),
    say: async (text) => {
      const content = [{ type: "text" as const, text }]
      return (
        (await isDone({ method: "ui/message", params: { role: "user", content } })) ||
        (await isDone({ method: "ui/update-model-context", params: { content } }))
      )
    },
    open: (url) => isDone({ method: "ui/open-link", params: { url } }),
  }
}

/** Requests of the host that have nothing to say in their answer. */
const ANSWERED: ReadonlySet<string> = new Set(["ping", "ui/resource-teardown"])

/** The frame around the card follows what it shows. */
function tellSize(tell: (size: McpUiSizeChangedNotification["params"]) => void): void {
  const root = document.documentElement
  new ResizeObserver(() => {
    const { width, height } = root.getBoundingClientRect()
    tell({ width: Math.ceil(width), height: Math.ceil(height) })
  }).observe(root)
}
