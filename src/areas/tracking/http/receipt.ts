/**
 * The receipt of a delivery: one HTML file that reads and prints without a network. It exists while the tracking page does,
 * from the delivery until 24 hours later.
 */

import { html, raw } from "../../../pages/html/markup.ts"
import type { Html } from "../../../pages/html/markup.ts"
import { writtenPage } from "../../../pages/html/page-frame.ts"
import type { WrittenPage } from "../../../pages/html/page-frame.ts"
import { BASE_STYLE } from "../../../pages/html/styles.ts"
import { MARK, lightColorsFor } from "../../../pages/html/tokens.ts"
import type { Receipt, TrackingView } from "../tracking.ts"
import { dollars, feeText } from "../../../model/requests/tracking-words.ts"
import { timesIn } from "../../../model/values/zoned-times.ts"
import type { Times } from "../../../model/values/zoned-times.ts"

/** Under the page's own path. */
export const RECEIPT_PATH = "receipt"

export interface ReceiptFile extends WrittenPage {
  /** Of the downloaded file. */
  readonly name: string
}

/** Null before the delivery, and for one that did not take place. */
export function receiptFile(view: TrackingView): ReceiptFile | null {
  const { receipt, orderNumber, storeName } = view
  if (receipt === null) return null
  const title = `Receipt: ${storeName}${orderNumber === null ? "" : `, order ${orderNumber}`}`
  const body = bodyOf(view, receipt, timesIn(view.timeZone))
  const written = writtenPage({ title, style: `${BASE_STYLE}${STYLE}`, body, isFile: true })
  return { ...written, name: `receipt${fileSafe(orderNumber)}.html` }
}

/** Letters, digits and hyphens alone: the name stands in a header and on a disk. */
function fileSafe(orderNumber: string | null): string {
  const safe = (orderNumber ?? "").replaceAll(/[^A-Za-z0-9-]+/g, "-").replaceAll(/^-+|(?<!-)-+$/g, "")
  return safe === "" ? "" : `-${safe.slice(0, 40)}`
}

function bodyOf(view: TrackingView, receipt: Receipt, times: Times): Html {
  const { storeName, orderNumber, items, fee, environment } = view
  const row = (term: string, lines: readonly string[]): Html =>
    html`<div>
      <dt>${term}</dt>
      <dd>${lines.map((line) => html`<span>${line}</span>`)}</dd>
    </div>`
  return html`<main>
    <header>${raw(MARK)}<strong>Curbline</strong></header>
    <h1>Receipt</h1>
    ${environment === "production" ? "" : html`<p class="test">SANDBOX: a test delivery. Nothing was delivered or charged.</p>`}
    <dl>
      ${row("Store", [storeName])} ${orderNumber === null ? "" : row("Order", [orderNumber])}
      ${receipt.from.length === 0 ? "" : row("From", receipt.from)} ${row("To", receipt.to)}
      ${row("Booked", [times.date(receipt.bookedAtMs)])}
      ${row("Delivered", [times.date(receipt.deliveredAtMs)])}
    </dl>
    <table>
      <thead>
        <tr>
          <th scope="col">Item</th>
          <th scope="col" class="end">Quantity</th>
        </tr>
      </thead>
      <tbody>
        ${items.map(
          ({ name, quantity }) =>
            html`<tr>
              <td>${name}</td>
              <td class="end">${quantity}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${
      fee === null
        ? html`<p>Order and delivery are billed by ${storeName}.</p>`
        : html`<p class="sum">
              <span>Delivery fee</span><strong>${dollars(fee.cents, fee.currency)}</strong>
            </p>
            <p>${feeText(fee.status)} The order itself is billed by ${storeName}.</p>`
    }
  </main>`
}

/** Printed in the light colours, whatever the reader's scheme is. */
const STYLE = `
main { max-width: 40rem; margin: 0 auto; padding: var(--s6) var(--s4); overflow-wrap: anywhere; }
header { display: flex; align-items: center; gap: var(--s2); }
h1 { margin: var(--s5) 0 var(--s4); font-size: var(--t-2xl); line-height: 1.2; }
.test { padding: var(--s3); border: 1px solid var(--edge); border-radius: var(--r1); font-weight: 600; }
dl { margin: 0 0 var(--s5); }
dl div { display: grid; grid-template-columns: 8rem 1fr; gap: var(--s3); padding: var(--s2) 0; border-bottom: 1px solid var(--line); }
dt { color: var(--ink-2); }
dd { display: grid; margin: 0; }
th, td { padding: var(--s2) 0; border-bottom: 1px solid var(--line); }
th { font-size: var(--t-sm); color: var(--ink-2); font-weight: 600; }
.end { text-align: right; }
.sum { display: flex; justify-content: space-between; margin: var(--s4) 0 var(--s2); font-size: var(--t-lg); }
@page { margin: 18mm; }
@media print {
  ${lightColorsFor(":root")}
  main { max-width: none; padding: 0; }
  tr, dl div { break-inside: avoid; }
}
`
