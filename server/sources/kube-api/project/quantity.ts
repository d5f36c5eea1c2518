import { z } from "zod";
import { parseQuantity } from "../../../domain/quantity";

/** As the API server writes a quantity: mostly text, plain numbers where somebody left out the quotes. */
export const quantity = z.union([z.string(), z.number()]);

export const amountOf = (value: z.infer<typeof quantity> | undefined): number | undefined => (value === undefined ? undefined : parseQuantity(String(value)));
