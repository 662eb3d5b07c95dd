/** The server's OpenAPI document, changed so that requests from the page do what a reader expects. */

interface Parameter {
  in?: string;
  required?: boolean;
  example?: unknown;
  examples?: unknown;
  schema?: Record<string, unknown>;
}

export interface OpenApi {
  servers?: Array<{ url: string }>;
  paths: Record<string, Record<string, unknown>>;
  [key: string]: unknown;
}

/**
 * The document with this origin as its server: the page may call no other, and a reader may have come by another name
 * of the server. Optional query parameters lose their examples: Scalar would send them, and a filter for an example's
 * number finds nothing.
 */
export function readyToTry(document: OpenApi, origin: string): OpenApi {
  const paths = Object.entries(document.paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, operation]) => [method, withoutFilters(operation)]);
    return [path, Object.fromEntries(operations)];
  });
  return { ...document, servers: [{ url: origin }], paths: Object.fromEntries(paths) };
}

function withoutFilters(operation: unknown): unknown {
  if (typeof operation !== 'object' || operation === null || !('parameters' in operation)) return operation;
  const parameters = operation.parameters as Parameter[];
  return {
    ...operation,
    parameters: parameters.map((parameter) => (isFilter(parameter) ? withoutExamples(parameter) : parameter)),
  };
}

function isFilter(parameter: Parameter): boolean {
  return parameter.in === 'query' && parameter.required !== true;
}

function withoutExamples({ example: _, examples: __, schema, ...rest }: Parameter): Parameter {
  if (!schema) return rest;
  const { example: ___, examples: ____, ...kept } = schema;
  return { ...rest, schema: kept };
}
