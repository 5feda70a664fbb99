/** A chat with cards: a page that plays the host of an agent, served without a server, with the policy that MCP Apps prescribes for cards. */

import { fileURLToPath } from "node:url"
import type { Frame, Page } from "playwright-core"
import { pageBundle } from "../../src/pages/bundling/build.ts"
import { cardDocument } from "../../src/pages/bundling/card-document.ts"
import { workerScript } from "../../src/pages/bundling/worker-bundle.ts"
import type { Chat, ChatEntry } from "../pages/web/chat.ts"
import type { CardState } from "./card-states.ts"

const ORIGIN = "http://chat.test"

/** Source: MCP Apps (SEP-1865), UI Resource Format: the policy of a card that names no domains. */
const CARD_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "media-src 'self' data:",
  "connect-src 'none'",
].join("; ")

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A chat</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; }
body { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(384px, 100%), 384px)); gap: 24px 48px; align-items: start;
  margin: 16px; font: 15px/1.5 system-ui, sans-serif; background: light-dark(#fafaf8, #0f1115); }
@media (max-width: 720px) { body { grid-template-columns: minmax(0, 1fr); } }
p { margin: 0 0 12px; }
iframe { width: 100%; border: 0; height: 0; }
</style><body></body><script src="/chat.js"></script></html>`

/** Opens it in the page, which asks no server for anything. */
export async function openChat(page: Page): Promise<void> {
  const entry = fileURLToPath(new URL("../pages/web/chat-host.ts", import.meta.url))
  const [script, bundle] = await Promise.all([
    workerScript({ name: "chat-host", entry, folders: ["../test/pages/web"], without: {} }),
    pageBundle("card"),
  ])
  const files: Readonly<Record<string, { readonly contentType: string; readonly body: string }>> = {
    "/": { contentType: "text/html; charset=utf-8", body: PAGE },
    "/chat.js": { contentType: "text/javascript; charset=utf-8", body: script },
    "/card": { contentType: "text/html; charset=utf-8", body: cardDocument(bundle) },
  }
  await page.route(`${ORIGIN}/**`, async (route) => {
    const { pathname } = new URL(route.request().url())
    const file = files[pathname]
    if (file === undefined) return route.abort()
    const headers = pathname === "/card" ? { "Content-Security-Policy": CARD_POLICY } : {}
    return route.fulfill({ ...file, headers })
  })
  await page.goto(CHAT_URL)
}

export const CHAT_URL = `${ORIGIN}/`

/** The frame of the card that is now in the chat. */
export async function showCard(page: Page, name: string, { says, result }: CardState): Promise<Frame> {
  await page.evaluate(
    ([title, sentence, shown]) => (globalThis as unknown as { chat: Chat }).chat.show(title, sentence, shown),
    [name, says, result] as const,
  )
  const element = await page.locator(`iframe[title="${name}"]`).elementHandle()
  const frame = await element?.contentFrame()
  if (frame === null || frame === undefined) throw new Error(`there is no card ${name}`)
  await frame.locator("main[data-kind]").waitFor()
  return frame
}

/** One card alone, in a chat that has forgotten all others. */
export async function showAlone(page: Page, name: string, state: CardState): Promise<Frame> {
  await page.evaluate(() => (globalThis as unknown as { chat: Chat }).chat.clear())
  return showCard(page, name, state)
}

export async function setChat(
  page: Page,
  changes: Partial<Pick<Chat, "answer" | "passesCalls" | "refuses">>,
): Promise<void> {
  await page.evaluate((set) => {
    Object.assign((globalThis as unknown as { chat: Chat }).chat, set)
  }, changes)
}

/** What the cards have asked the chat for. */
export async function chatLog(page: Page, kind: ChatEntry["kind"]): Promise<readonly string[]> {
  const log = await page.evaluate(() => (globalThis as unknown as { chat: Chat }).chat.log)
  return log.filter((entry) => entry.kind === kind).map(({ text }) => text)
}
