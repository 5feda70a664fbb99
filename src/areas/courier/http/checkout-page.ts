/**
 * The hosted checkout of the built-in payment processor, behind a `checkout_url`. It moves no money, and the page says
 * so: each card to choose from stands for one answer of a processor. Source: courier connector contract §3, clocks;
 * open choices 2.6.
 */

import type { CheckoutResult, CheckoutView } from "../checkout.ts"
import { escaped } from "../../../pages/html/markup.ts"
import type { Page } from "./page.ts"
import { timesIn } from "../../../model/values/zoned-times.ts"
import { DEFAULT_COURIER_SETTINGS } from "../settings.ts"

const TIMES = timesIn(DEFAULT_COURIER_SETTINGS.timeZone)

export interface ShownCheckout {
  readonly status: number
  readonly page: Page
}

/** Why the page is shown again after an attempt. */
export type CheckoutProblem =
  Extract<CheckoutResult, { type: "declined" | "unavailable" }>["type"] | "unchosen"

interface Priced {
  readonly retailerName: string
  readonly amountCents: number
  readonly currency: string
}

interface TestCard {
  readonly instrument: string
  readonly label: string
}

const TEST_CARDS: readonly TestCard[] = [
  { instrument: "spt_ok_checkout", label: "A card that is accepted" },
  { instrument: "spt_declined_checkout", label: "A card that the bank declines" },
  { instrument: "spt_expired_checkout", label: "A card that has expired" },
  { instrument: "spt_small_checkout", label: "A card with too low a limit" },
]

/** The cards that the form may send. */
export function isTestCard(instrument: string | null): instrument is string {
  return TEST_CARDS.some((card) => card.instrument === instrument)
}

export function shownCheckout(view: CheckoutView, problem: CheckoutProblem | null): ShownCheckout {
  switch (view.type) {
    case "open":
      return { status: problem === null ? 200 : PROBLEMS[problem].status, page: openPage(view, problem) }
    case "paid":
      return { status: 200, page: paidPage(view) }
    case "unclear":
      return shownUnclear(view)
    case "closed":
      return ended(
        410,
        "Nothing to pay",
        "This delivery needs no payment any more, and nothing is charged for it.",
      )
    case "expired":
      return ended(
        410,
        "This link has expired",
        view.isPaid
          ? "The delivery fee is already paid. Close this page and go back to your assistant."
          : "Nothing was charged. Ask your assistant for a fresh payment link.",
      )
    case "unknown":
      return ended(
        404,
        "No such payment link",
        "Check that the link is complete, or ask your assistant for a fresh one.",
      )
  }
}

const PROBLEMS = {
  declined: { status: 402, text: "The payment was declined, and nothing was charged. Choose another card." },
  unavailable: {
    status: 503,
    text: "The payment processor does not answer, and nothing was charged. Try again.",
  },
  unchosen: { status: 400, text: "Choose a card first." },
} as const satisfies Record<CheckoutProblem, { readonly status: number; readonly text: string }>

export function isCheckoutProblem(problem: unknown): problem is CheckoutProblem {
  return typeof problem === "string" && Object.hasOwn(PROBLEMS, problem)
}

function openPage(view: Extract<CheckoutView, { type: "open" }>, problem: CheckoutProblem | null): Page {
  const amount = amountOf(view)
  return {
    title: `${problem === null ? "" : "Problem: "}Pay ${amount}`,
    body: [
      ...headOf(amount),
      ...purposeOf(view),
      ...problemOf(problem === null ? null : PROBLEMS[problem].text),
      '<form method="post">',
      `<fieldset${problem === null ? "" : ' aria-describedby="problem"'}>`,
      "<legend>Test card</legend>",
      '<p class="quiet">This is a test processor: no real card, and no real money.</p>',
      ...TEST_CARDS.map(
        ({ instrument, label }, at) =>
          `<label><input type="radio" name="instrument" value="${instrument}" required${at === 0 ? " checked" : ""}> ${label}</label>`,
      ),
      "</fieldset>",
      `<button type="submit">Pay ${amount}</button>`,
      "</form>",
      `<p class="quiet">This link is good until ${TIMES.date(view.expiresAtMs)}.</p>`,
    ],
  }
}

/** The processor has not answered. No form: paying again could be a second hold on the card. */
function shownUnclear(view: Priced): ShownCheckout {
  const amount = amountOf(view)
  return {
    status: 503,
    page: {
      title: "Not confirmed yet",
      body: [
        ...headOf(amount),
        ...purposeOf(view),
        ...problemOf("We cannot see yet whether this is paid. Do not pay again: look again in a moment."),
        '<p><a class="button" href="">Look again</a></p>',
      ],
    },
  }
}

/** A page that leads to the processor's own page. */
export function shownHosted(view: CheckoutView, problem: HostedProblem | null): ShownCheckout {
  if (view.type !== "open") return shownCheckout(view, null)
  if (problem === "unclear") return shownUnclear(view)
  const amount = amountOf(view)
  return {
    status: problem === null ? 200 : 503,
    page: {
      title: `${problem === null ? "" : "Problem: "}Pay ${amount}`,
      leavesSite: true,
      body: [
        ...headOf(amount),
        ...purposeOf(view),
        ...problemOf(problem === null ? null : HOSTED_UNAVAILABLE),
        "<p>You pay on the page of our payment processor, and come back here.</p>",
        `<form method="post"><button type="submit">Continue to pay ${amount}</button></form>`,
        `<p class="quiet">This link is good until ${TIMES.date(view.expiresAtMs)}.</p>`,
      ],
    },
  }
}

/** `unclear`: the user has returned from the processor's page, and it does not say whether it is paid. */
type HostedProblem = "unavailable" | "unclear"

const HOSTED_UNAVAILABLE = "The payment processor does not answer. Try again in a moment."

/** The page after the return from the processor. The money was either kept for the errand or released. */
export function shownReturn(settled: "kept" | "let-go"): ShownCheckout {
  return settled === "kept"
    ? {
        status: 200,
        page: {
          title: "Paid",
          body: [
            "<h1>The delivery fee is paid</h1>",
            "<p>There is nothing more to do here. Close this page and go back to your assistant.</p>",
          ],
        },
      }
    : ended(
        410,
        "Nothing to pay",
        "This delivery needs no payment any more. What you have just paid is not taken: the hold on your card goes away.",
      )
}

/** The amount first: it is what the page asks for. */
function headOf(amount: string): readonly string[] {
  return [`<h1><span class="quiet label">Delivery fee</span> <span class="big">${amount}</span></h1>`]
}

function purposeOf({ retailerName }: { readonly retailerName: string }): readonly string[] {
  return [
    `<p>For the delivery of your order from <strong>${escaped(retailerName)}</strong>. The store charges the order`,
    "itself, separately.</p>",
  ]
}

function problemOf(text: string | null): readonly string[] {
  return text === null ? [] : [`<p role="alert" class="problem" id="problem">${text}</p>`]
}

function paidPage(view: Extract<CheckoutView, { type: "paid" }>): Page {
  const amount = amountOf(view)
  return {
    title: "Already paid",
    body: [
      "<h1>The delivery fee is already paid</h1>",
      `<p role="status" class="big">${amount} for your order from ${escaped(view.retailerName)}.</p>`,
      "<p>There is nothing more to do here. Close this page and go back to your assistant.</p>",
    ],
  }
}

function ended(status: number, title: string, text: string): ShownCheckout {
  return { status, page: { title, body: [`<h1>${title}</h1>`, `<p>${text}</p>`] } }
}

function amountOf({ amountCents, currency }: Omit<Priced, "retailerName">): string {
  const amount = (amountCents / 100).toFixed(2)
  return currency.toUpperCase() === "USD" ? `$${amount}` : `${amount} ${currency.toUpperCase()}`
}
