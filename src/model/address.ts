/**
 * Addresses: `kind/id` names a group's root actor, `kind/id/part` an actor inside the group. A machine may also write
 * `.` for its group's root and `./part` for a sibling, so a machine needs no id of its own.
 */

/** `kind/id` or `kind/id/part`. */
export type Address = string

/** The first two segments of an address: the unit of consistency. */
export type GroupAddress = string

/** The group that an absolute address belongs to. Cost: two index searches. */
export function groupOf(address: Address): GroupAddress {
  const first = address.indexOf("/")
  const second = address.indexOf("/", first + 1)
  return second === -1 ? address : address.slice(0, second)
}

/** The first segment: the kind of the group. */
export function kindOf(address: Address): string {
  return address.slice(0, address.indexOf("/"))
}

/** The second segment: the id of the group's root. */
export function idOf(address: Address): string {
  const group = groupOf(address)
  return group.slice(group.indexOf("/") + 1)
}

/** The name of the part inside its group; for the group's root, the group's kind. */
export function partOf(address: Address): string {
  const [kind = "", , part] = address.split("/")
  return part ?? kind
}

/** Turns `.` and `./part` into absolute addresses of the given group; returns absolute ones unchanged. */
export function resolveAddress(to: Address, group: GroupAddress): Address {
  if (to === ".") return group
  return to.startsWith("./") ? `${group}/${to.slice(2)}` : to
}
