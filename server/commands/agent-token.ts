import type { CommandIo } from "../main";
export async function agentToken(_args: readonly string[], _io: CommandIo): Promise<number> { throw new Error("pending"); }
