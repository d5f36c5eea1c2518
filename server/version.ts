import packageJson from "../package.json";

/** The product's version, as package.json has it. */
export const PRODUCT_VERSION: string = packageJson.version;
