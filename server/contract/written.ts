import { z } from "zod";
import { visibleText } from "../domain/clean-text";

/** What a person writes to be kept: what a terminal or a text direction would act on is kept as a visible sign, like that of the cluster, and counts as the sign does. */
export const written = (most: number) => z.string().overwrite(visibleText).trim().min(1, "must not be empty").max(most, `must be at most ${most} characters`);

const LINE_ENDS = /[\n\t]+/g;
/** The same as one line. */
export const writtenLine = (most: number) => z.string().overwrite((text) => visibleText(text).replaceAll(LINE_ENDS, " ")).trim().min(1, "must not be empty").max(most, `must be at most ${most} characters`);
