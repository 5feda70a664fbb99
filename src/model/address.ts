/**
 * Addresses: `kind/id` names a group's root actor, `kind/id/part` an actor inside the group. A machine may also write
 * `.` for its group's root and `./part` for a sibling, so a machine needs no id of its own.
 */

/** `kind/id` or `kind/id/part`. */
export type Address = string

/** The first two segments of an address: the unit of consistency. */
export type GroupAddress = string

let lastAddress: Address = ""
let lastGroup: GroupAddress = ""

/**
 * The group that an absolute address belongs to. A turn asks often for that of one address: it is cut out once, so that
 * maps hash one string.
 */
export function groupOf(address: Address): GroupAddress {
  if (address === lastAddress) return lastGroup
  const first = address.indexOf("/")
  const second = address.indexOf("/", first + 1)
  lastGroup = second === -1 ? address : address.slice(0, second)
  lastAddress = address
  return lastGroup
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
