/** Moves around webhook endpoints and text messages: registered, changed, switched off, removed; customers who reply. */

import { MINUTE_MS } from "../../model/values/time.ts"
import type { Chance } from "./chance.ts"
import { PHONES } from "./draw-deliveries.ts"
import { command } from "./moves.ts"
import type { Move, World } from "./plan.ts"

const UNTIL_MINUTES = 120
const CHANGES_MAX = 8

export function drawEndpoints(chance: Chance, { webhooks, pickupWebhooks }: World): readonly Move[] {
  const when = (actor: string) => ({ atMs: chance.between(0, UNTIL_MINUTES) * MINUTE_MS, actor })
  const moves: Move[] = []
  for (const { as } of webhooks) moves.push(...changes(chance, as, "webhook.change", when))
  for (const { as } of pickupWebhooks) {
    moves.push(...changes(chance, as, "pickup_webhook.change", when))
    if (chance.happens(120)) moves.push(command(when(as), "pickup_webhook.remove", {}, { for: as }))
  }
  if (chance.happens(100))
    moves.push(command(when("partner"), "webhook.register", {}, { as: "partner-later" }))
  if (chance.happens(100))
    moves.push(command(when("shop"), "pickup_webhook.register", {}, { as: "shop-later" }))
  while (chance.happens(150) && moves.length < 2 * CHANGES_MAX) {
    const values = { from: chance.of(PHONES), text: chance.of(["STOP", "STOP", "START", "HELP", "hello"]) }
    moves.push(command(when("customers"), "sms.reply", values))
  }
  return moves.toSorted((one, other) => one.atMs - other.atMs)
}

function changes(
  chance: Chance,
  name: string,
  word: "pickup_webhook.change" | "webhook.change",
  when: (actor: string) => Pick<Move, "actor" | "atMs">,
): readonly Move[] {
  const moves: Move[] = []
  while (chance.happens(200) && moves.length < CHANGES_MAX) {
    const values = chance.weighted([
      [1, { is_active: false }],
      [2, { is_active: true }],
      [1, { rotate_secret: true }],
      [1, { url: `https://hooks.partner.example/${name}/moved` }],
    ])
    moves.push(command(when(name), word, values, { for: name }))
  }
  return moves
}
