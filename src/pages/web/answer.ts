/** Answers of a typed client. */

import { ApiFault } from "./faults.ts"

/** What a call of such a client gives. */
export type Asked<Data> = Promise<{ readonly data?: { readonly data: Data } }>

/** The data of an answer. */
export async function dataOf<Data>(asked: Asked<Data>): Promise<Data> {
  const { data } = await asked
  if (data === undefined) throw new ApiFault("The service answered nothing.")
  return data.data
}
