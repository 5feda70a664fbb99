/**
 * The pages of an authorization: plain HTML that works without script, on a phone, and with a screen reader. All data
 * from outside is escaped. Our choices A2, A17, A35.
 */

import { escaped, raw } from "../../../pages/html/markup.ts"
import { CARD_STYLE } from "../../../pages/html/styles.ts"
import { PAGE_ERRORS, SERVICE_NAME, STEP_PROBLEMS } from "../../../model/linking.ts"
import type { PageErrorCode } from "../../../model/linking.ts"
import type { AuthorizationStep } from "../authorization.ts"
import type { TerminalStep } from "../terminal-codes.ts"
import type { PageLook, ShownPage } from "../../../http/pages/html-page.ts"

export type ShownStep = Extract<AuthorizationStep, { type: "code" | "phone" }>

/** Query parameter of the page of a request in progress. */
export const STEP_PARAMETER = "step"

/** Sent by the button that requests another code. */
export const ANOTHER_CODE_FIELD = "another_code"

/** The address of a request's page. The request is encrypted in it, so it shows no number. */
export function stepAddress(action: string, request: string): string {
  return `${action}?${STEP_PARAMETER}=${request}`
}

/** A page without its HTTP status. */
type LinkingPage = Omit<ShownPage, "status">

interface StepLook {
  /** The authorization endpoint. */
  readonly action: string
  /** The code of a demo, which is not texted. */
  readonly code?: string | null
  /** In the sandbox numbers are made up, and their codes are in the portal. */
  readonly isForTests?: boolean
}

export function stepPage(step: ShownStep, look: StepLook): LinkingPage {
  return step.type === "phone" ? phonePage(step, look) : codePage(step, look)
}

function phonePage(
  step: Extract<ShownStep, { type: "phone" }>,
  { action, isForTests = false }: StepLook,
): LinkingPage {
  const client = escaped(step.clientName)
  const asked = isForTests
    ? "Enter a test number of your organization."
    : "Enter your mobile number and we text you a code."
  return page("Link your phone", step, [
    `<h1>Link your phone to ${client}</h1>`,
    `<p><strong>${client}</strong>${hostNote(step)} asks to book curbside deliveries by ${SERVICE_NAME} for you. ` +
      `${asked} ${startNote(step)}</p>`,
    ...alertOf(step),
    formOf(step, action, [
      '<label for="phone">Mobile number</label>',
      `<input id="phone" name="phone" type="tel" inputmode="tel" autocomplete="tel" required maxlength="64" value="${escaped(step.typed)}"${described(step)}>`,
      '<p class="quiet" id="hint">With the country code. Ten digits without one are a US number.</p>',
      `<button type="submit">${isForTests ? "Go on" : "Text me a code"}</button>`,
    ]),
    `<p class="quiet">${isForTests ? "No text leaves from here." : "Message and data rates may apply."} ${returnNote(step)}</p>`,
  ])
}

function codePage(
  step: Extract<ShownStep, { type: "code" }>,
  { action, code = null, isForTests = false }: StepLook,
): LinkingPage {
  const sent = step.isResent && step.problem === null ? "We texted another code" : "We texted a code"
  const digits = isForTests
    ? "The portal shows the code of six digits, under Agents, beside"
    : `${sent} of six digits to`
  return page("Enter your code", step, [
    "<h1>Enter your code</h1>",
    `<p>${digits} the number that ends in <strong>${escaped(step.lastFour)}</strong>. ` +
      `With it, <strong>${escaped(step.clientName)}</strong>${hostNote(step)} may book curbside deliveries by ${SERVICE_NAME} for you.</p>`,
    ...(code === null
      ? []
      : [`<p>No text leaves from here. The code is <strong>${escaped(code)}</strong>.</p>`]),
    ...alertOf(step),
    formOf(step, action, [
      '<label for="code">Code</label>',
      `<input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" required maxlength="16"${described(step)}>`,
      `<p class="quiet" id="hint">${isForTests ? "It is always the same." : "Do not tell it to anyone. It is good for 10 minutes."}</p>`,
      '<button type="submit">Link this phone</button>',
      // Enter presses the first button of a form.
      ...(isForTests
        ? []
        : [
            `<button type="submit" class="secondary" name="${ANOTHER_CODE_FIELD}" value="1" formnovalidate>Text me another code</button>`,
          ]),
    ]),
    `<p><a href="${escaped(stepAddress(action, step.withoutNumber))}">Use another number</a></p>`,
    `<p class="quiet">${returnNote(step)}</p>`,
  ])
}

/** Every client can take any name, but only the owner of a host can put a document there. */
function hostNote({ clientHost }: ShownStep): string {
  return clientHost === null ? "" : ` at <strong>${escaped(clientHost)}</strong>`
}

/** A stranger cannot get a code, but can send the address of a link that ends in a terminal of theirs. */
function startNote({ isForTerminal }: ShownStep): string {
  return isForTerminal
    ? "Go on only if you started <code>npx curbline connect</code> yourself, never because somebody sent you this link."
    : "If you did not start this in that app, close this page."
}

function returnNote({ returnsTo, isForTerminal }: ShownStep): string {
  if (isForTerminal) return "When you are done, this page shows the letters of your terminal."
  return `When you are done, you go back to <strong>${escaped(returnsTo)}</strong>.`
}

/** `action` is the page's own address. */
export function terminalPage({ letters, code, state }: TerminalStep, action: string): LinkingPage {
  return {
    title: "Do the letters match?",
    body: raw(
      [
        "<h1>Do the letters match?</h1>",
        `<p>Your terminal shows four letters. Connect it only if they are these; it may then book curbside deliveries by ${SERVICE_NAME} for you.</p>`,
        `<p class="big" id="letters">${letters}</p>`,
        "<p>If you started nothing in a terminal of your own, or if it shows other letters, close this page: " +
          "someone else may want to order in your name.</p>",
        `<form method="post" action="${escaped(action)}">`,
        `<input type="hidden" name="code" value="${escaped(code)}">`,
        `<input type="hidden" name="state" value="${escaped(state)}">`,
        '<button type="submit" aria-describedby="letters">They match: connect my terminal</button>',
        "</form>",
        '<p class="quiet">This page is good for a minute.</p>',
      ].join("\n"),
    ),
  }
}

export function terminalDonePage(): LinkingPage {
  return {
    title: "Your terminal is connected",
    body: raw(
      "<h1>Your terminal is connected</h1>\n<p>You can close this page and go back to your terminal.</p>",
    ),
  }
}

/** A page for errors that end an authorization. It has no links, because nothing that was sent can be trusted. */
export function errorPage(code: PageErrorCode): LinkingPage {
  return page("Linking did not work", { problem: null }, [
    "<h1>Linking did not work</h1>",
    `<p role="alert" class="problem">${PAGE_ERRORS[code].message}</p>`,
    "<p>You can close this page.</p>",
  ])
}

function formOf({ request }: ShownStep, action: string, fields: readonly string[]): string {
  return [
    `<form method="post" action="${escaped(action)}">`,
    `<input type="hidden" name="request" value="${escaped(request)}">`,
    ...fields,
    "</form>",
  ].join("\n")
}

function alertOf({ problem }: ShownStep): readonly string[] {
  if (problem === null) return []
  return [`<p role="alert" class="problem" id="problem">${STEP_PROBLEMS[problem.code].message}</p>`]
}

function described({ problem }: ShownStep): string {
  return problem === null
    ? ' aria-describedby="hint"'
    : ' aria-describedby="problem hint" aria-invalid="true" autofocus'
}

/** The form finally leads to the agent's own address. */
function page(title: string, { problem }: Pick<ShownStep, "problem">, body: readonly string[]): LinkingPage {
  return {
    title: `${problem === null ? "" : "Problem: "}${title}`,
    body: raw(body.join("\n")),
    leavesSite: true,
  }
}

export const LINKING_LOOK: PageLook = { style: CARD_STYLE, isCard: true }
