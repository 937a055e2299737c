import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import vm from 'node:vm';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '../../..');
const contracts = readdirSync(resolve(root, 'services')).map((service) => ({
  name: `the contract of ${service}`,
  file: resolve(root, 'services', service, 'contract/index.ts'),
}));
const entries = [{ name: '@tandem/client/public', file: resolve(import.meta.dirname, 'public.ts') }, ...contracts];

/** Globals that browsers have beside those of the language. */
const { TextEncoder, URL, URLSearchParams, Headers, AbortSignal, atob, btoa } = globalThis;
const webGlobals = { TextEncoder, URL, URLSearchParams, Headers, AbortSignal, atob, btoa };

/** Bundles a module for browsers and runs it where Node's globals are missing; answers what it exports. */
async function loadInBrowser(file: string, globals: object = webGlobals): Promise<Record<string, unknown>> {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    globalName: 'exported',
    logLevel: 'silent',
  });
  const context = vm.createContext({ ...globals });
  vm.runInContext(outputFiles[0]?.text as string, context);
  return context.exported;
}

it.each(entries)('$name can be bundled for browsers and runs without Node', async ({ file }) => {
  expect(Object.keys(await loadInBrowser(file)).length).toBeGreaterThan(0);
});

it('calls an operation in a browser', async () => {
  const sent: { address: string; init: RequestInit }[] = [];
  const fetch = async (address: string, init: RequestInit) => {
    sent.push({ address, init });
    return Response.json({ success: true, status: 200, message: 'Lead retrieved', data: { score: 42 } });
  };
  const { createClient } = await loadInBrowser(entries[0]?.file as string, { ...webGlobals, fetch });
  const { crm } = await loadInBrowser(resolve(root, 'services/crm/contract/index.ts'));
  type Client = { getLead(given: object): Promise<{ data: unknown }> };
  const client = (createClient as (options: object) => Client)({
    operations: crm,
    baseUrl: 'https://api.example.com',
    credentials: { accessToken: 'token', tenantId: 'tenant' },
  });
  expect((await client.getLead({ params: { id: 'khzasVT5ZxaVtyRs' } })).data).toEqual({ score: 42 });
  expect(sent).toMatchObject([
    {
      address: 'https://api.example.com/v1/leads/khzasVT5ZxaVtyRs',
      init: { method: 'GET', headers: { Authorization: 'Bearer token', 'X-Tenant-Id': 'tenant' } },
    },
  ]);
});
