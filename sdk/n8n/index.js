'use strict';
// n8n reads the nodes and credentials that package.json names. There is nothing to import from here.
