/** The entry point of the page. */

import { render } from "preact"

const page = document.querySelector("#page")
if (page !== null) render(<p>Studio</p>, page)
