/**
 * What is seen of a page until its script draws it: the frame and the heading, in the classes of the page's own style. The service sends it
 * with the page, so that a slow line shows where one is before the script has arrived.
 */

import { html, raw } from "./markup.ts"
import type { Html } from "./markup.ts"
import { MARK } from "./tokens.ts"

export interface Framed {
  /** Plain text. */
  readonly heading: string
  /** In the bar on top; none on pages that belong to no environment. */
  readonly environment?: "production" | "sandbox"
}

/** A card, for people without a session. */
export function cardFrame({ heading, environment }: Framed): Html {
  return html`${barOf(environment)}
    <div class="outside">
      <header><a class="brand" href="/">${raw(MARK)} Curbline</a></header>
      <main>
        <h1>${heading}</h1>
        ${waiting(4)}
      </main>
    </div>`
}

export function operationsFrame({ heading, environment }: Framed): Html {
  return html`${barOf(environment)}
    <header class="ops-top">
      <a class="brand" href="/ops">${raw(MARK)} <span>Curbline</span></a>
    </header>
    <main id="content" class="ops-content">${headed(heading)}</main>`
}

/** A board on a wall. */
export function kioskFrame({ heading, environment }: Framed): Html {
  return html`${barOf(environment)}
    <main class="kiosk">
      <h1>${heading}</h1>
      ${waiting(6)}
    </main>`
}

export function portalFrame({
  heading,
  environment,
  organization,
}: Framed & { readonly organization: string }): Html {
  return html`${barOf(environment, environment === "sandbox" ? " has-clock" : "")}
    <header class="topbar">${raw(MARK)} <span>${heading}</span></header>
    <div class="shell">
      <aside class="side" aria-label="Organization">
        <div class="organization">
          ${raw(MARK)}
          <span><strong>${organization}</strong><span class="tiny quiet">Curbline portal</span></span>
        </div>
      </aside>
      <main id="content">${headed(heading)}</main>
    </div>`
}

/** Beside a list of documents. */
export function referenceFrame({ heading, environment }: Framed): Html {
  return html`${barOf(environment)}
    <div class="shell">
      <aside class="side" aria-label="Documents">
        <p class="brand"><a href="/">${raw(MARK)} Curbline</a></p>
      </aside>
      <main>
        <h1>${heading}</h1>
        ${waiting(6)}
      </main>
    </div>`
}

/** The start page of a host. */
export function startFrame({ heading, environment }: Framed): Html {
  return html`${barOf(environment)}
    <main>
      <p class="brand">${raw(MARK)} Curbline</p>
      <div class="hero column"><h1>${heading}</h1></div>
      ${waiting(4)}
    </main>`
}

/** A phone: a column without a bar, because it knows its environment later. */
export function phoneFrame({ heading }: Pick<Framed, "heading">): Html {
  return html`<main class="runner pair">
    <p class="brand">${raw(MARK)} ${heading}</p>
    <h1>Opening your tasks</h1>
    ${waiting(6)}
  </main>`
}

/** A tool: its name in a bar over the whole width. */
export function toolFrame({ heading }: Pick<Framed, "heading">): Html {
  return html`<header class="topbar bar">
      ${raw(MARK)}
      <h1>${heading}</h1>
    </header>
    <main>${waiting(6)}</main>`
}

function headed(heading: string): Html {
  return html`<div class="page-head">
      <div class="grow"><h1>${heading}</h1></div>
    </div>
    ${waiting(6)}`
}

function barOf(environment: Framed["environment"], more = ""): Html {
  if (environment === undefined) return html``
  return html`<div class="environment ${environment}${more}" role="region" aria-label="Environment">
    <span class="badge">${environment.toUpperCase()}</span>
  </div>`
}

function waiting(lines: number): Html {
  return html`<div class="column opening" role="status" aria-busy="true" aria-label="Loading">
    ${Array.from({ length: lines }, () => html`<span class="skeleton"></span>`)}
  </div>`
}
