'use strict';
// Loads the package as n8n does: `node loader.cjs PACKAGE`, with n8n-core and n8n-workflow in NODE_PATH.

const assert = require('node:assert/strict');
const { PackageDirectoryLoader } = require('n8n-core');
const { NodeHelpers } = require('n8n-workflow');

async function main() {
  const loader = new PackageDirectoryLoader(process.argv[2]);
  await loader.loadAll();
  const names = loader.types.nodes.map((node) => node.name).sort();
  // A node that is usable as a tool is listed a second time as one, in newer versions of n8n.
  assert.ok(names.includes('frontdesk') && names.includes('frontdeskTrigger'), names.join(', '));
  assert.deepEqual(loader.types.credentials.map((credential) => credential.name), ['frontdeskApi']);
  const { type: node } = loader.getNode('frontdesk');
  const { type: trigger } = loader.getNode('frontdeskTrigger');
  assert.equal(typeof node.execute, 'function');
  assert.equal(typeof trigger.webhook, 'function');
  assert.deepEqual(Object.keys(trigger.webhookMethods.default).sort(), ['checkExists', 'create', 'delete']);

  // n8n's own code fills in the parameters of every operation.
  let count = 0;
  const { properties } = node.description;
  for (const property of properties.filter((one) => one.name === 'operation')) {
    const [resource] = property.displayOptions.show.resource;
    for (const { value: operation } of property.options) {
      const given = { resource, operation };
      const filled = NodeHelpers.getNodeParameters(properties, given, true, false, { typeVersion: 1 }, node.description);
      assert.equal(filled?.operation, operation, `${resource}.${operation}`);
      count += 1;
    }
  }
  assert.ok(count > 100, `${count} operations`);
  console.log(`n8n loads ${names.join(' and ')}, with ${count} operations`);
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
