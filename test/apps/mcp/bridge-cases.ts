/** `curbline connect` over a running connector: how a link is made, kept, refreshed and ended. */

import { mkdtempSync, readdirSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { HOUR_MS, MINUTE_MS } from "../../../src/model/values/time.ts"
import { Bridge } from "../../../src/cli/connect/bridge.ts"
import { CallFailed, ConnectorHost, LinkEnded } from "../../../src/cli/connect/connector-host.ts"
import { TerminalLink } from "../../../src/cli/connect/terminal-link.ts"
import { UsageError } from "../../../src/cli/kit/usage-error.ts"
import { freePort } from "../../free-port.ts"
import type { RunningConnector } from "./running-connector.ts"

/** A person with a browser: links on the page that is shown, unless its letters are others. */
async function browse({ consent }: RunningConnector, page: string, letters: string): Promise<void> {
  const location = await consent(new URL(page))
  const text = await (await fetch(location)).text()
  if (!text.includes(`>${letters}</p>`)) throw new Error("other letters")
  const done = await fetch(new URL(location.pathname, location), {
    method: "POST",
    body: location.searchParams,
  })
  if (done.status !== 200) throw new Error(await done.text())
}

export function bridgeTests(at: () => RunningConnector): void {
  const hostOf = (): ConnectorHost => new ConnectorHost(at().mcpUrl.href)
  const newFolder = (): string => join(mkdtempSync(join(tmpdir(), "curbline-links-")), "links")
  /** One of the processes of a user. */
  const linkIn = (folder: string, shown: string[] = []): TerminalLink =>
    new TerminalLink({
      host: hostOf(),
      folder,
      show: (page, letters) => {
        shown.push(page)
        void browse(at(), page, letters)
      },
    })
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" }
  const isGood = async (token: string): Promise<boolean> =>
    (await hostOf().call(list, { token, revision: null })) !== null

  describe("a bridge for an agent on a computer", () => {
    test("two processes that begin at once make one link, in a file for its owner alone", async () => {
      const folder = newFolder()
      const shown: string[] = []
      const [one, other] = await Promise.all([linkIn(folder, shown).token(), linkIn(folder, shown).token()])
      expect([one === other, shown.length, await isGood(one)]).toEqual([true, 1, true])
      const [file = ""] = readdirSync(folder).filter((name) => name.endsWith(".json"))
      expect([statSync(folder).mode & 0o777, statSync(join(folder, file)).mode & 0o777]).toEqual([
        0o700, 0o600,
      ])
    })

    test("two processes whose token has ended refresh it once, so that the link lives on", async () => {
      const folder = newFolder()
      const old = await linkIn(folder).token()
      await at().advance(HOUR_MS)
      expect(await isGood(old)).toBe(false)
      const [one, other] = [linkIn(folder), linkIn(folder)]
      const tokens = await Promise.all([one.tokenAfter(old), one.tokenAfter(old), other.tokenAfter(old)])
      expect(new Set(tokens).size).toBe(1)
      expect(await isGood(tokens[0] ?? "")).toBe(true)
      const bridge = new Bridge(hostOf(), linkIn(folder))
      await at().advance(HOUR_MS)
      expect(await bridge.answersTo(list)).toMatchObject([{ id: 1, result: { tools: expect.anything() } }])
    })

    test("what is forgotten has ended at the service, too", async () => {
      const folder = newFolder()
      const link = linkIn(folder)
      const token = await link.token()
      expect([await link.forget(), await isGood(token), await link.forget()]).toEqual([true, false, false])
      await expect(link.tokenAfter(token)).rejects.toThrow(LinkEnded)
    })

    test("a notification has no answer, and a refused message comes back with the service's own error", async () => {
      const bridge = new Bridge(hostOf(), linkIn(newFolder()))
      expect(await bridge.answersTo({ ...list, id: undefined, method: "notifications/initialized" })).toEqual(
        [],
      )
      const [answer] = await bridge.answersTo({ ...list, method: "tools/none" })
      expect(answer).toMatchObject({ id: 1, error: { code: -32601 } })
    })

    test("an agent of revision 2026-07-28, which has no handshake, reaches every method", async () => {
      const bridge = new Bridge(hostOf(), linkIn(newFolder()))
      const ask = async (method: string, params: object = {}): Promise<unknown> => {
        const _meta = {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "editor", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        }
        return (await bridge.answersTo({ ...list, method, params: { ...params, _meta } }))[0]
      }
      expect(await ask("server/discover")).toMatchObject({
        result: { supportedVersions: expect.arrayContaining(["2026-07-28"]) },
      })
      expect(await ask("tools/list")).toMatchObject({ result: { tools: expect.anything() } })
      expect(await ask("resources/read", { uri: "courier://description" })).toMatchObject({
        result: { contents: [expect.anything()] },
      })
      const delivery_id = `dlv_${"z".repeat(22)}`
      expect(
        await ask("tools/call", { name: "get_delivery_status", arguments: { delivery_id } }),
      ).toMatchObject({
        result: { structuredContent: { error: { code: "not_found" } } },
      })
      expect(await ask("tools/call", { name: "bestellen für morgen", arguments: {} })).toMatchObject({
        error: { code: -32602 },
      })
    })

    test("a host that takes no connection is named in plain words; a notification stays quiet", async () => {
      const host = new ConnectorHost(`http://127.0.0.1:${await freePort()}`)
      const bridge = new Bridge(host, new TerminalLink({ host, folder: newFolder(), show: () => undefined }))
      const [answer] = await bridge.answersTo(list)
      expect(answer).toMatchObject({
        id: 1,
        error: {
          code: -32000,
          message: expect.stringMatching(/^127\.0\.0\.1:\d+ does not answer: .*ECONNREFUSED/),
        },
      })
      expect(await bridge.answersTo({ method: "notifications/initialized" })).toEqual([])
    })

    test("a host that is away for a moment ends no link that is being made", async () => {
      class ShakyHost extends ConnectorHost {
        #failures = 2
        override async fetchCode(secret: string): Promise<string | null> {
          this.#failures -= 1
          if (this.#failures >= 0) throw new CallFailed("away", { isPassing: true })
          return super.fetchCode(secret)
        }
      }
      const show = (page: string, letters: string): void => void browse(at(), page, letters)
      const link = new TerminalLink({ host: new ShakyHost(at().mcpUrl.href), folder: newFolder(), show })
      expect(await isGood(await link.token())).toBe(true)
    })

    test("letters that are confirmed too late are said so", async () => {
      class LateHost extends ConnectorHost {
        override async fetchCode(secret: string): Promise<string | null> {
          const code = await super.fetchCode(secret)
          if (code !== null) await at().advance(MINUTE_MS + 1)
          return code
        }
      }
      const host = new LateHost(at().mcpUrl.href)
      const show = (page: string, letters: string): void => void browse(at(), page, letters)
      const link = new TerminalLink({ host, folder: newFolder(), show })
      await expect(link.token()).rejects.toThrow("confirmed too late")
    })

    test.each(["curbline.example", "http://curbline.example", "ftp://127.0.0.1", ""])(
      "%j is no host for a link",
      (url) => {
        expect(() => new ConnectorHost(url)).toThrow(UsageError)
      },
    )
  })
}
