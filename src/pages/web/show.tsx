/** Draws a page in place of the frame that the service sent, which stays until the page's files are there. */

import { render } from "preact"
import type { JSX } from "preact"
import { Button } from "./design/button.tsx"
import { Empty } from "./design/feedback.tsx"

export function show(page: JSX.Element): void {
  const place = document.getElementById("page")
  if (place === null) return
  place.replaceChildren()
  render(page, place)
}

/** The part of the page that the service chose by the path. */
export function partOfPage(): string {
  return document.getElementById("page")?.dataset["part"] ?? ""
}

/** Shows a page whose files are loaded first. */
export async function showLoaded(page: Promise<JSX.Element>): Promise<void> {
  try {
    show(await page)
  } catch (cause) {
    show(<NotLoaded />)
    throw cause
  }
}

function NotLoaded(): JSX.Element {
  return (
    <main>
      <Empty
        title="This page could not be loaded"
        action={<Button onPress={() => window.location.reload()}>Try again</Button>}
      >
        A part of it did not arrive: there was no connection, or the service was replaced meanwhile.
      </Empty>
    </main>
  )
}
