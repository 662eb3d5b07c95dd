'use strict';

/** A key of an account, and the server that it belongs to. */
class FrontdeskApi {
  constructor() {
    this.name = 'frontdeskApi';
    this.displayName = 'Frontdesk API';
    this.icon = { light: 'file:../nodes/Frontdesk/frontdesk.svg', dark: 'file:../nodes/Frontdesk/frontdesk.svg' };
    this.properties = [
      {
        displayName: 'Base URL',
        name: 'baseUrl',
        type: 'string',
        default: '',
        required: true,
        placeholder: 'https://desk.example.com',
        description: 'Where your Frontdesk server is, without /api',
      },
      {
        displayName: 'API Key',
        name: 'apiKey',
        type: 'string',
        typeOptions: { password: true },
        default: '',
        required: true,
        description: 'A key with the scopes of what your workflows do; the trigger needs webhooks:manage',
      },
    ];
    this.authenticate = {
      type: 'generic',
      properties: { headers: { Authorization: '=Bearer {{$credentials.apiKey}}' } },
    };
    this.test = {
      request: { baseURL: '={{$credentials.baseUrl.trim().replace(/\\/+$/, "")}}', url: '/api/v1/me' },
    };
  }
}

module.exports = { FrontdeskApi };
