/**
 * "Open the compartment": what the page shows while the vehicle stands at the door and its fleet can be asked. The form works
 * without script; the machine's state says what became of it.
 */

import { html, raw } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"
import type { CompartmentRecord } from "../../compartments/compartments.ts"
import type { TrackingView } from "../tracking.ts"
import { CIRCLE_ALERT, CIRCLE_CHECK, LOCK_OPEN } from "./icons.ts"

/** Where the form sends the digits, under the page's own path. */
export const OPEN_PATH = "open"
export const DIGITS_FIELD = "digits"

/** The compartment that the customer can open now; null: the page has no button. */
export function compartmentAtDoor({ state, opening }: TrackingView): CompartmentRecord | null {
  return state === "arrived_at_customer" ? (opening?.compartment ?? null) : null
}

/** Spoken when it changes; empty while there is nothing to say. */
export function spokenOf(view: TrackingView): string {
  const compartment = compartmentAtDoor(view)
  return compartment === null ? "" : saidOf(compartment)
}

function saidOf({ state, wrongTries, triesLeft }: CompartmentRecord): string {
  switch (state) {
    case "closed":
      return wrongTries === 0 ? "" : wrongText(triesLeft)
    case "opening":
      return "The vehicle is opening."
    case "opened":
      return "It is open."
    case "failed":
      return "It did not open."
    case "locked":
      return "It is locked."
  }
}

function wrongText(triesLeft: number): string {
  return `These are not the last four digits. ${triesLeft} ${triesLeft === 1 ? "try" : "tries"} left.`
}

export function doorOf(view: TrackingView, path: string): Html {
  const compartment = compartmentAtDoor(view)
  if (compartment === null) return html``
  const said = saidOf(compartment)
  switch (compartment.state) {
    case "closed":
      return formOf(compartment, path)
    case "opening":
      return html`<p class="door-button" tabindex="-1" data-focus>
          <span class="button primary" aria-busy="true">Opening …</span>
        </p>
        <p class="small quiet">The vehicle is asked to open. This takes some seconds; stay beside it.</p>`
    case "opened":
      return told("opened", said, "Take everything out and close the lid. The vehicle leaves by itself.")
    case "failed":
      return told(
        "stuck",
        said,
        "Our operations team sees this and tries again. Please stay beside the vehicle; this page shows when it opens.",
        true,
      )
    case "locked":
      return told(
        "stuck",
        said,
        "The digits were wrong five times. Our operations team sees this and can open it for you. Please stay beside the vehicle.",
        true,
      )
  }
}

function formOf({ wrongTries, triesLeft }: CompartmentRecord, path: string): Html {
  const isWrong = wrongTries > 0
  return html`<form class="door" method="post" action="${path}/${OPEN_PATH}">
    <div class="field">
      <label for="digits">Last four digits of your phone number</label>
      <input
        id="digits"
        name="${DIGITS_FIELD}"
        class="number"
        inputmode="numeric"
        autocomplete="off"
        pattern="[0-9]{4}"
        title="four digits"
        maxlength="4"
        required
        aria-describedby="digits-hint"
        ${isWrong ? raw('aria-invalid="true" data-focus') : ""}
      />
      <p class="${isWrong ? "error" : "hint"}" id="digits-hint">
        ${isWrong ? wrongText(triesLeft) : "Of the number that was given with the order."}
      </p>
    </div>
    <p class="door-button">
      <button class="button primary" type="submit">${LOCK_OPEN}Open the compartment</button>
    </p>
    <p class="small quiet">Press it beside the vehicle. It opens once.</p>
  </form>`
}

function told(kind: "opened" | "stuck", title: string, text: string, hasHelp = false): Html {
  return html`<div class="door-said ${kind}" tabindex="-1" data-focus>
    <p class="title">${kind === "opened" ? CIRCLE_CHECK : CIRCLE_ALERT}${title}</p>
    <p>${text}</p>
    ${hasHelp ? html`<p><a class="button" href="#help">Help</a></p>` : html``}
  </div>`
}
