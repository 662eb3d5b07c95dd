// Writes TypeScript types from openapi.json: one type per schema, and `Operations`, which maps
// "METHOD /path" to the path parameters, query, body and response of that operation.
//
//   node scripts/api-types.mjs ../openapi.json src/api/schema.ts
import { readFileSync, writeFileSync } from 'node:fs';

const PREFIX = '/api/v1';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const [source, target] = process.argv.slice(2);
const document = JSON.parse(readFileSync(source, 'utf8'));

const name = (ref) => ref.split('/').at(-1);
const resolve = (part) => (part.$ref ? document.components.parameters[name(part.$ref)] : part);
const comment = (text) => (text ? `/** ${text.replaceAll('*/', '* /').replaceAll('\n', ' ')} */\n` : '');
const literal = (value) => JSON.stringify(value);

function type(schema) {
  if (schema === true || schema === undefined) return 'unknown';
  if (schema.$ref) return name(schema.$ref);
  if ('const' in schema) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  const union = schema.oneOf ?? schema.anyOf;
  if (union) return `(${union.map(type).join(' | ')})`;
  if (schema.allOf) return `(${schema.allOf.map(type).join(' & ')})`;
  const kinds = [schema.type].flat();
  return kinds.map((kind) => plain(kind, schema)).join(' | ');
}

function plain(kind, schema) {
  switch (kind) {
    case 'string':
    case 'boolean':
    case 'null':
      return kind;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return `Array<${type(schema.items)}>`;
    case 'object':
      if (schema.properties) return object(schema);
      return `Record<string, ${type(schema.additionalProperties)}>`;
    default:
      return 'unknown';
  }
}

function object(schema) {
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties).map(
    ([key, value]) =>
      `${comment(value.description)}${literal(key)}${required.has(key) ? '' : '?'}: ${type(value)};`,
  );
  return `{\n${fields.join('\n')}\n}`;
}

function parameters(operation, place) {
  const fields = (operation.parameters ?? []).map(resolve).filter((parameter) => parameter.in === place);
  if (fields.length === 0) return null;
  const text = fields.map(
    (field) => `${literal(field.name)}${field.required ? '' : '?'}: ${type(field.schema)};`,
  );
  return { text: `{ ${text.join(' ')} }`, required: fields.some((field) => field.required) };
}

function operation(declared) {
  const fields = [];
  for (const place of ['path', 'query']) {
    const found = parameters(declared, place);
    if (found) fields.push(`${place}${found.required ? '' : '?'}: ${found.text};`);
  }
  const body = declared.requestBody?.content?.['application/json']?.schema;
  if (body) fields.push(`body${declared.requestBody.required ? '' : '?'}: ${type(body)};`);
  const success = Object.entries(declared.responses).find(([status]) => status.startsWith('2'))?.[1];
  fields.push(`response: ${type(success?.content?.['application/json']?.schema)};`);
  return `{ ${fields.join(' ')} }`;
}

const lines = ['// Generated from openapi.json by scripts/api-types.mjs. Do not edit.', ''];
for (const [key, schema] of Object.entries(document.components.schemas)) {
  lines.push(`${comment(schema.description)}export type ${key} = ${type(schema)};`);
}
lines.push('export interface Operations {');
for (const [path, item] of Object.entries(document.paths)) {
  if (!path.startsWith(`${PREFIX}/`)) continue;
  for (const method of METHODS.filter((method) => item[method])) {
    const key = `${method.toUpperCase()} ${path.slice(PREFIX.length)}`;
    lines.push(`${comment(item[method].summary)}${literal(key)}: ${operation(item[method])};`);
  }
}
lines.push('}', '');
writeFileSync(target, lines.join('\n'));
