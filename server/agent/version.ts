import packageJson from "../../package.json";

/** Said in each report, so that a server can tell which agents to upgrade. */
export const AGENT_VERSION: string = packageJson.version;
