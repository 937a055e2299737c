import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { publicOperations } from '../contracts.ts';
import type { Part } from './json.ts';
import { openApiDocument } from './openapi.ts';
import { withCodeSamples } from './samples.ts';

const run = promisify(execFile);
const document = withCodeSamples(JSON.parse(JSON.stringify(openApiDocument(publicOperations()))));
const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
const sampleOf = (operation: Part, lang: string) =>
  (operation['x-codeSamples'] as { lang: string; source: string }[]).find((one) => one.lang === lang)?.source as string;
const byId = (id: string) => operations.find(({ operationId }) => operationId === id) as Part;

it('shows a sample for curl, JavaScript and Python with every operation', () => {
  expect(operations.length).toBeGreaterThan(150);
  const languages = operations.map((one) =>
    (one['x-codeSamples'] as { lang: string }[]).map(({ lang }) => lang).join(),
  );
  expect(new Set(languages)).toEqual(new Set(['Shell,JavaScript,Python']));
});

it('fills in every parameter of a path', () => {
  const addresses = operations.map((one) => /"\$BASE_URL([^"]*)"/.exec(sampleOf(one, 'Shell'))?.[1]);
  expect(addresses.filter((address) => !address || /[{}]|undefined/.test(address))).toEqual([]);
});

it('sends the example values, to the base URL and with the credentials of the reader', async () => {
  const source = sampleOf(byId('createLead'), 'JavaScript');
  const sent: { address: string; init: { method: string; headers: Record<string, string>; body: string } }[] = [];
  await vm.runInNewContext(`(async () => {${source}})()`, {
    process: { env: { BASE_URL: 'https://api.example.com', API_KEY: 'secret' } },
    crypto,
    console: { log: () => undefined },
    fetch: async (address: string, init: never) => {
      sent.push({ address, init });
      return Response.json({});
    },
  });
  expect(sent).toMatchObject([
    {
      address: 'https://api.example.com/v1/leads',
      init: { method: 'POST', headers: { 'X-API-Key': 'secret', 'Content-Type': 'application/json' } },
    },
  ]);
  const { content } = byId('createLead').requestBody as { content: Record<string, { example: unknown }> };
  expect(JSON.parse(sent[0]?.init.body ?? '')).toEqual(content['application/json']?.example);
});

it('sends an Idempotency-Key only where the operation accepts one', () => {
  expect(sampleOf(byId('createLead'), 'Shell')).toContain('Idempotency-Key');
  expect(sampleOf(byId('login'), 'Shell')).not.toContain('Idempotency-Key');
  expect(sampleOf(byId('getLead'), 'Shell')).not.toContain('Idempotency-Key');
});

it('is a valid shell script and a valid module', async () => {
  // On standard input, because an argument of a process is limited to 128 KB.
  const shell = run('bash', ['-n']);
  shell.child.stdin?.end(operations.map((one) => sampleOf(one, 'Shell')).join('\n'));
  await shell;
  for (const one of operations) {
    // An import is only valid at the top level of a module.
    const body = sampleOf(one, 'JavaScript').replace(/^import .*$/m, '');
    expect(() => new vm.Script(`(async () => {${body}\n})`)).not.toThrow();
  }
});

it('writes values as Python literals', () => {
  expect(sampleOf(byId('updateLandingPage'), 'Python')).toContain('"visible": True');
  expect(sampleOf(byId('createRole'), 'Python')).toBe(
    `import os
import uuid

import requests

response = requests.post(
    os.environ["BASE_URL"] + "/v1/roles",
    headers={
        "X-API-Key": os.environ["API_KEY"],
        "Idempotency-Key": str(uuid.uuid4()),
    },
    json={
        "name": "Sales",
        "description": "Manages leads and views partners",
        "permissions": [
            "leads:write",
            "partners:read",
        ],
    },
    timeout=30,
)
response.raise_for_status()
print(response.json())`,
  );
});
