/** `{issuer}/oauth/terminal`: the page on which a person compares the letters of their terminal. */

import { Effect } from "effect"
import type { FastifyReply, FastifyRequest } from "fastify"
import type { Run } from "../../../http/bridge.ts"
import { queryOf } from "../../../http/gate.ts"
import { parametersIn } from "../../../http/pages/form.ts"
import { sendPage } from "../../../http/pages/html-page.ts"
import { TerminalCodes } from "../terminal-codes.ts"
import { ownForm } from "./authorize.ts"
import { LINKING_LOOK, terminalDonePage, terminalPage } from "./pages.ts"

export interface TerminalOptions {
  readonly run: Run<TerminalCodes>
  /** Scheme and host of the pages. */
  readonly origin: string
  /** The page's own URL, for its form. */
  readonly action: string
}

export async function openTerminal(
  request: FastifyRequest,
  reply: FastifyReply,
  { run, action }: TerminalOptions,
): Promise<FastifyReply> {
  const sent = parametersIn(queryOf(request))
  const step = await run(Effect.flatMap(TerminalCodes, (codes) => codes.open(sent)))
  return sendPage(reply, { status: 200, ...terminalPage(step, action) }, LINKING_LOOK)
}

export async function confirmTerminal(
  request: FastifyRequest<{ Body: Buffer | undefined }>,
  reply: FastifyReply,
  { run, origin }: TerminalOptions,
): Promise<FastifyReply> {
  const sent = ownForm(request, origin)
  await run(Effect.flatMap(TerminalCodes, (codes) => codes.confirm(sent)))
  return sendPage(reply, { status: 200, ...terminalDonePage() }, LINKING_LOOK)
}
