/** What a fleet run cannot tell: the short cuts that remain, said in every report. */

export const CANNOT_TELL: readonly string[] = [
  "The service itself takes no time: a slow database or network is not part of the run.",
  "Vehicles drive the crow's way times a detour at a speed by the hour. There are no streets, lights or queues in traffic, and no vehicle is in another's way.",
  "A vehicle tells where it is when it crosses a fence, and not every few seconds; the events of its position are fewer than on the street.",
  "A vehicle that loads at its site takes the free stall whose next window begins last, and stays until it is loaded; where none is free it waits, and bots that wait for the stall go first. A site without stalls, and a store away from its site, have room for every vehicle.",
  "A bot that finds its stall taken, by a bot or a vehicle, waits for that stall, and drives to no other.",
  "A runner carries one order at a time, and walks the same way there and back.",
  "Nobody is ill, no order is mixed up, and a customer is always at home.",
  "A customer's agent is a few delays and shares: it retries nothing, never asks for the status, and reserves as soon as possible and not for a window.",
  "A store takes every courier order at once and works towards the time that it told: none refuses one, is sold out, or waits for the vehicle to check in.",
  "A processor answers at once and is never down; cards are declined by the share that the model says.",
  "Courier orders of a model are carried by the fleet of one site.",
  "What chance decides comes from the distributions of the model. Where those are guesses, so are the figures; the intervals tell only how much the seeds differ.",
]

/** How waits are counted. */
export const HOW_COUNTED: readonly string[] = [
  "Waits count from the planned instant: a bot's own arrival or its window's start if that is later, a delivery's ready-by, a courier order's ready time as the store told it. Demand does not slow down when the service does.",
  "An order counts by the instant at which it was asked for: inside the horizon and after the warm-up. Orders under way at the horizon run to their end, so that long waits are not cut off.",
  "Utilisation and queues count the time between the warm-up's end and the horizon.",
  "Each replication is one independent run on a seed of its own; intervals are 95 % by Student's t over replications. A percentile needs at least one observation beyond it.",
  "Every demand, kitchen and walk has a random stream of its own: cases of a sweep meet the same orders.",
]
