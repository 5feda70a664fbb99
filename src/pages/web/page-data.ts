/** The JSON that the service writes into a page. */

export function pageData<Data>(id = "data"): Data {
  const text = document.getElementById(id)?.textContent ?? "null"
  return JSON.parse(text) as Data
}
