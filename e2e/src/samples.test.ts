import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { aTenant, startFleet, type TestFleet } from '@tandem/test-fleet';

// Runs the code samples of /docs unchanged. Operations whose examples refer to other records need those first.
const operations = [
  'createLead',
  'listLeads',
  'createTeam',
  'listUsers',
  'createCampaign',
  'createCourse',
  'createPartner',
  'createLandingPage',
  'createWorkflow',
  'createWebhook',
  'createRole',
  'uploadFile',
  'recordEvent',
  'createStatus',
  'generateStatuses',
  'createApiKey',
  'getMe',
  'listPlans',
  'checkPermission',
  'updateCurrentTenant',
];

interface DocumentedOperation {
  operationId: string;
  'x-codeSamples': { lang: string; source: string }[];
}

const run = promisify(execFile);
let fleet: TestFleet;
let folder: string;
let documented: DocumentedOperation[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'samples-'));
  await writeFile(join(folder, 'offer.pdf'), '%PDF-1.4\nAn offer.');
  fleet = await startFleet();
  const document = await (await fetch(`${fleet.baseUrl}/docs/openapi.json`)).json();
  documented = Object.values(
    (document as { paths: Record<string, Record<string, DocumentedOperation>> }).paths,
  ).flatMap((item) => Object.values(item));
}, 240_000);
afterAll(async () => {
  await fleet?.stop();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

/** Runs the samples of a language as a new tenant; returns their output. */
async function runSamples(lang: string, program: (source: string) => [file: string, args: string[]]) {
  const { live, accessToken, id } = await aTenant(fleet, { plan: 'pro' });
  const env = {
    PATH: process.env.PATH,
    BASE_URL: fleet.baseUrl,
    API_KEY: live,
    ACCESS_TOKEN: accessToken,
    TENANT_ID: id,
  };
  const output: Record<string, string> = {};
  for (const name of operations) {
    const samples = documented.find(({ operationId }) => operationId === name)?.['x-codeSamples'] ?? [];
    const source = samples.find((one) => one.lang === lang)?.source ?? '';
    const { stdout } = await run(...program(source), { cwd: folder, env });
    output[name] = stdout;
  }
  return output;
}

it('the curl samples succeed unchanged', async () => {
  const output = await runSamples('Shell', (source) => ['bash', ['--norc', '-c', source]]);
  const failed = Object.entries(output).filter(([, text]) => !text.startsWith('{"success":true'));
  expect(failed).toEqual([]);
}, 120_000);

it('the JavaScript samples succeed unchanged', async () => {
  const output = await runSamples('JavaScript', (source) => [
    process.execPath,
    ['--input-type=module', '--eval', source],
  ]);
  const failed = Object.entries(output).filter(([, text]) => !text.includes('success: true'));
  expect(failed).toEqual([]);
}, 120_000);
