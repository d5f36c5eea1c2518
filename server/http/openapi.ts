import { z } from "zod";
import { ROUTES, type Route } from "./routes";
import { ProblemSchema } from "../contract/schemas";

/** OpenAPI 3.1 from the same schemas that the handlers parse and the tests hold answers against. */
export function openApiDocument(version: string): Record<string, unknown> & { openapi: string } {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of Object.values(ROUTES) as readonly Route[]) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Sandglass", version, license: { name: "Apache-2.0", identifier: "Apache-2.0" }, description: "Can each node of a Kubernetes cluster start a pod right now? Times are ISO 8601 in UTC; unknown is never healthy; what is not known is left out." },
    paths,
    components: { schemas: { Problem: json(ProblemSchema) } },
  };
}

function operation(route: Route): Record<string, unknown> {
  const parameters = [...fields(route.params, "path"), ...fields(route.query, "query")];
  return {
    summary: route.summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: { required: true, content: { "application/json": { schema: json(route.body, "input") } } } }),
    responses: {
      "200": { description: "OK", content: { [route.mediaType ?? "application/json"]: route.answer === undefined ? {} : { schema: json(route.answer) } } },
      default: { description: "What went wrong, as RFC 9457 has it", content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } } },
    },
  };
}

const json = (schema: z.ZodType, io: "input" | "output" = "output"): unknown => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Record<string, unknown>;
  return rest;
};

function fields(schema: z.ZodType | undefined, where: "path" | "query"): unknown[] {
  if (schema === undefined) return [];
  const object = json(schema, "input") as { properties?: Record<string, unknown> };
  return Object.entries(object.properties ?? {}).map(([name, field]) => ({ name, in: where, required: where === "path", schema: field }));
}
