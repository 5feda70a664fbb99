/** The JSON that the service writes into a page. */

export function pageData<Data>(): Data {
  const text = document.getElementById("data")?.textContent ?? "null"
  return JSON.parse(text) as Data
}
