/** Commands about vehicles. */

import { verb } from "../../../cli/command-verbs.ts"
import type { Nouns } from "../../../cli/command-verbs.ts"

/** These commands need a running service, because vehicles are machines that it must start. */
export function addFleetCommands({ curbline, act }: Nouns): void {
  const vehicles = curbline
    .command("vehicles")
    .description("vehicles of a fleet; the service must be running")
  verb(vehicles, act, {
    name: "add",
    description: "add a vehicle that sends its own reports; an existing one does not change",
    taskOf: (flags, { pathOf }, [id = ""]) => ({
      type: "write",
      noun: "vehicle",
      id: "vehicle_id",
      did: "added the vehicle",
      request: {
        method: "POST",
        path: pathOf("vehicles"),
        body: { vehicle_id: id, fleet_id: flags["fleet"], label: flags["label"] ?? id },
      },
    }),
  })
    .argument("<vehicle-id>", "as it reports under")
    .requiredOption("--fleet <id>", "the fleet, such as CURBLINE_COURIER_FLEET names")
    .option("--label <text>", "for people; the id if absent")
}
