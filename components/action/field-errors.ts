import type { ActionPlan, Problem } from "@/server/contract/schemas";
import { FIELD_LABELS, FIELDS, type Field } from "./values";

export interface PlanErrors {
  readonly fields: Readonly<Partial<Record<Field, string>>>;
  /** What belongs to no field of the form. */
  readonly other: readonly string[];
}

/** Errors of a problem document and refusals of a plan, each beside the field that it is about: "body.params.cpuLimit" is "cpuLimit". */
export function planErrors(errors: NonNullable<Problem["errors"]>, refusals: ActionPlan["refusals"]): PlanErrors {
  const fields: Partial<Record<Field, string>> = {};
  const other: string[] = [];
  const add = (name: string | undefined, message: string): void => {
    const field = FIELDS.find((one) => one === name?.split(".").at(-1));
    if (field === undefined) other.push(name === undefined || !message.startsWith("is ") ? message : `${name} ${message}`);
    else fields[field] = [fields[field], message.startsWith("is ") ? `${FIELD_LABELS[field]} ${message}` : message].filter((part) => part !== undefined).join(" ");
  };
  for (const error of errors) add(error.field, error.message);
  for (const refusal of refusals) add(refusal.field, refusal.message);
  return { fields, other };
}
