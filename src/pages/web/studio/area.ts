/** The parts of the studio that the top bar names, and the address of what is open in them. */

export const AREAS = ["Scenarios", "Fleets", "Swarm"] as const
export type Area = (typeof AREAS)[number]

/** What the page was opened with. */
export function areaInAddress(): Area {
  const fields = fieldsOfAddress()
  if (fields.has("swarm")) return "Swarm"
  return fields.has("fleet") ? "Fleets" : "Scenarios"
}

/** The path of the open file or model in the address; null without one. */
export function pathInAddress(name: "file" | "fleet"): string | null {
  const path = fieldsOfAddress().get(name)
  return path === "" ? null : path
}

function fieldsOfAddress(): URLSearchParams {
  return new URLSearchParams(location.hash.slice(1))
}

/** An area without an open file has an empty path. */
export function writeAddress(name: "file" | "fleet" | "swarm", path = ""): void {
  history.replaceState(null, "", `#${name}=${encodeURIComponent(path)}`)
}
