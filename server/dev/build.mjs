import { prepareProduct } from "./product.mjs";
import { runToEnd } from "./run-to-end.mjs";

await runToEnd(prepareProduct);
