/** What `curbline examples` prints about the service of a folder, which tests start with local targets. */

import { curblineHere } from "../cli/same-process.ts"

export async function examplesOf(data: string): Promise<string> {
  const { out } = await curblineHere("examples", "--data", data, "--allow-local-targets")
  return out
}
