import { expect, it } from 'vitest';
import { type OpenApi, readyToTry } from './document';

const phone = { in: 'query', name: 'phone', schema: { type: 'string', examples: ['+14155550123'] } };
const q = { in: 'query', name: 'q', required: true, schema: { type: 'string', examples: ['table'] } };
const id = { in: 'path', name: 'id', required: true, schema: { type: 'string', examples: ['0190f3c2'] } };
const shared = { $ref: '#/components/parameters/IdempotencyKey' };

const document: OpenApi = {
  openapi: '3.1.0',
  servers: [{ url: 'https://desk.example' }],
  paths: {
    '/contacts': { get: { summary: 'List contacts', parameters: [phone, q, id, shared] } },
    '/tags': { get: { summary: 'List tags' } },
  },
};

it('calls the origin that the page came from', () => {
  expect(readyToTry(document, 'http://localhost:8080').servers).toEqual([{ url: 'http://localhost:8080' }]);
});

it('sends no example as a filter', () => {
  const { paths } = readyToTry(document, 'http://localhost:8080');
  expect(paths['/contacts']?.get).toEqual({
    summary: 'List contacts',
    parameters: [{ in: 'query', name: 'phone', schema: { type: 'string' } }, q, id, shared],
  });
  expect(paths['/tags']).toEqual(document.paths['/tags']);
  expect(document.paths['/contacts']?.get).toHaveProperty('parameters.0.schema.examples');
});
