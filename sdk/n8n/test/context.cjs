'use strict';
// What n8n gives a node while it runs it, as far as these nodes use it: parameters with their defaults, credentials, requests.

/** Whether a parameter is shown with these values. */
function isShown(property, values) {
  const show = property.displayOptions?.show ?? {};
  return Object.entries(show).every(([name, allowed]) => allowed.includes(values[name]));
}

/** The values of all parameters that are shown, with the defaults of those that are not given. */
function filledIn(properties, given) {
  const values = {};
  const unknown = new Set(Object.keys(given));
  for (const property of properties) {
    if (!isShown(property, values)) continue;
    unknown.delete(property.name);
    const value = property.name in given ? given[property.name] : property.default;
    if (property.type === 'options' && !property.options.some((option) => option.value === value)) {
      throw new Error(`${property.name} has no choice ${value}`);
    }
    if (property.type === 'collection') {
      const names = property.options.map((option) => option.name);
      const strange = Object.keys(value).find((name) => !names.includes(name));
      if (strange) throw new Error(`${property.name} has no field ${strange}`);
    }
    values[property.name] = value;
  }
  if (unknown.size > 0) throw new Error(`no parameter ${[...unknown].join(', ')} is shown`);
  return values;
}

/** Evaluates the expressions of the credentials, which name only the credentials themselves. */
function evaluated(text, credentials) {
  if (!text.startsWith('=')) return text;
  return text.slice(1).replace(/\{\{(.+?)\}\}/g, (_, code) => new Function('$credentials', `return ${code}`)(credentials));
}

/** The request that n8n makes, with what the credential adds to it. */
async function request(credential, credentials, options) {
  const headers = { ...options.headers };
  for (const [name, value] of Object.entries(credential.authenticate.properties.headers)) {
    headers[name] = evaluated(value, credentials);
  }
  const url = new URL(options.url);
  for (const [key, value] of Object.entries(options.qs ?? {})) url.searchParams.set(key, value);
  const isForm = options.body instanceof FormData;
  if (options.body !== undefined && !isForm) headers['Content-Type'] = 'application/json';
  const body = options.body === undefined || isForm ? options.body : JSON.stringify(options.body);
  const response = await fetch(url, { method: options.method, headers, body, redirect: 'manual' });
  const text = await response.text();
  let read = text;
  try {
    read = JSON.parse(text);
  } catch {
    // n8n passes on what is no JSON.
  }
  return { statusCode: response.status, headers: Object.fromEntries(response.headers), body: read };
}

function contextOf({ node, credential, credentials, values, execution, staticData = {}, url, binary }) {
  const parameters = filledIn(node.description.properties, values);
  return {
    requests: 0,
    getInputData: () => [{ json: {} }],
    getNodeParameter(name, ...rest) {
      const fallback = rest.at(-1);
      if (name in parameters) return parameters[name];
      if (rest.length === 2 || (rest.length === 1 && typeof fallback !== 'number')) return fallback;
      throw new Error(`Could not get parameter ${name}`);
    },
    getCredentials: async () => credentials,
    getNode: () => ({ id: 'node', name: node.description.displayName }),
    getWorkflow: () => ({ id: 'workflow', name: 'A workflow' }),
    getInstanceId: () => 'instance',
    getExecutionId: () => execution,
    getWorkflowDataProxy: () => ({ $runIndex: 0 }),
    getWorkflowStaticData: () => staticData,
    getNodeWebhookUrl: () => url,
    continueOnFail: () => false,
    helpers: {
      async httpRequestWithAuthentication(name, options) {
        if (name !== credential.name) throw new Error(`no credential ${name}`);
        this.requests += 1;
        return request(credential, credentials, options);
      },
      assertBinaryData: () => binary,
      getBinaryDataBuffer: async () => binary.bytes,
    },
  };
}

module.exports = { contextOf, evaluated };
