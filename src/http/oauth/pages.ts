/**
 * The pages of an authorization: plain HTML that works without script, on a phone, and with a screen reader. Every text that
 * came from outside is escaped. Our choices A2, A17, A35.
 */

import { PAGE_ERRORS, STEP_PROBLEMS } from "../../model/linking.ts"
import type { PageErrorCode } from "../../model/linking.ts"
import type { AuthorizationStep } from "../../services/linking/authorization.ts"
import { PRIVATE_PAGE_HEADERS, escaped, htmlPage } from "../html-page.ts"

/** `form-action` names https as well: browsers hold the redirect after a form to it. */
export const PAGE_HEADERS = {
  ...PRIVATE_PAGE_HEADERS,
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self' 'unsafe-inline'; form-action 'self' https:; frame-ancestors 'none'",
} as const

export type ShownStep = Exclude<AuthorizationStep, { type: "redirect" }>

/** `action` is the authorization endpoint. */
export function stepPage(step: ShownStep, action: string): string {
  return step.type === "phone" ? phonePage(step, action) : codePage(step, action)
}

function phonePage(step: Extract<ShownStep, { type: "phone" }>, action: string): string {
  return page("Link your phone", step, [
    `<h1>Link your phone to ${escaped(step.clientName)}</h1>`,
    `<p><strong>${escaped(step.clientName)}</strong> asks to book curbside deliveries for you. ` +
      "Enter your mobile number and we text you a code. If you did not start this in that app, close this page.</p>",
    ...alertOf(step),
    formOf(step, action, [
      '<label for="phone">Mobile number</label>',
      `<p class="hint" id="hint">With the country code. Ten digits without one are a US number.</p>`,
      `<input id="phone" name="phone" type="tel" inputmode="tel" autocomplete="tel" required maxlength="64"${described(step)}>`,
      '<button type="submit">Text me a code</button>',
    ]),
    '<p class="hint">Message and data rates may apply.</p>',
  ])
}

function codePage(step: Extract<ShownStep, { type: "code" }>, action: string): string {
  return page("Enter your code", step, [
    "<h1>Enter your code</h1>",
    `<p>We texted a code of six digits to the number that ends in <strong>${escaped(step.lastFour)}</strong>. ` +
      `With it, <strong>${escaped(step.clientName)}</strong> may book curbside deliveries for you.</p>`,
    ...alertOf(step),
    formOf(step, action, [
      '<label for="code">Code</label>',
      '<p class="hint" id="hint">Tell it to nobody. It is good for 10 minutes.</p>',
      `<input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" required maxlength="16"${described(step)}>`,
      '<button type="submit">Link this phone</button>',
    ]),
    '<p class="hint">No text message? Go back one page and ask for another code.</p>',
  ])
}

/** What cannot go on. Nothing on it leads anywhere: nothing that was sent is trusted. */
export function errorPage(code: PageErrorCode): string {
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

function page(title: string, { problem }: Pick<ShownStep, "problem">, body: readonly string[]): string {
  return htmlPage({ title: `${problem === null ? "" : "Problem: "}${title}`, style: STYLE, body })
}

const STYLE = [
  ":root{color-scheme:light dark}",
  "body{margin:0;font:1.0625rem/1.5 system-ui,sans-serif;color:#1b1f24;background:#fff}",
  "main{max-width:26rem;margin:0 auto;padding:1.5rem 1rem;overflow-wrap:anywhere}",
  "h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}",
  "label{display:block;font-weight:600;margin-top:1.25rem}",
  ".hint{color:#4a525c;font-size:.9375rem;margin:.25rem 0 .5rem}",
  "input[type=tel],input[type=text]{box-sizing:border-box;width:100%;padding:.75rem;font:inherit;font-size:1.25rem;" +
    "color:inherit;background:transparent;border:2px solid #5c6670;border-radius:.5rem}",
  "button{box-sizing:border-box;width:100%;margin-top:1rem;padding:.875rem;font:inherit;font-weight:600;color:#fff;" +
    "background:#0b5a3e;border:2px solid #0b5a3e;border-radius:.5rem;cursor:pointer}",
  "input:focus-visible,button:focus-visible{outline:3px solid #1a6fd4;outline-offset:2px}",
  ".problem{padding:.75rem;border-left:4px solid #b3261e;background:#fbeae9;color:#5f1410;border-radius:.25rem}",
  "@media (prefers-color-scheme:dark){body{color:#e8eaed;background:#15181c}.hint{color:#b3bac2}" +
    "input[type=tel],input[type=text]{border-color:#9aa3ad}.problem{background:#3b1512;color:#ffd9d6}}",
].join("")
