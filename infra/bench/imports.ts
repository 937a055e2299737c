import type { TestTenant } from '@tandem/test-fleet';
import { until } from '@tandem/testing';
import pg from 'pg';
import { formatNumber } from './numbers.ts';
import type { Place } from './place.ts';
import type { Row } from './results.ts';

const leads = Number(process.env['BENCH_IMPORT_ROWS'] ?? 100_000);
const goal = 5_000;
const slowdownGoal = 1.5;
const calls = 200;
const waitMs = 600_000;
// As often as a page that shows the progress asks. Requests that follow closely would slow the import down.
const pollMs = 1_000;
const mapping = {
  email: 'email',
  'first name': 'firstName',
  'last name': 'lastName',
  phone: 'phone',
  source: 'source',
  sector: 'customFields.industry',
};

/** The members of the fleet that an import needs. */
export const importMembers = ['identity', 'files', 'crm', 'gateway'];

/**
 * Imports a CSV file of leads, and measures single requests before and beside that import. Then imports it for another
 * tenant without other requests: from the start until all rows are written, and until their events are published.
 * `importMembers` must run.
 */
export async function measureImports(place: Place): Promise<Row[]> {
  place.log(`two imports of ${formatNumber(leads)} leads`);
  const database = new pg.Client({ connectionString: place.databaseUrl('crm') });
  await database.connect();
  const published = () =>
    until(
      'all events are published',
      async () => !(await database.query('SELECT FROM platform.outbox LIMIT 1')).rowCount,
      waitMs,
    );
  try {
    const beside = await measureBeside(place, published);
    return [await measureRate(place, published), beside];
  } finally {
    await database.end();
  }
}

async function measureRate(place: Place, published: () => Promise<unknown>): Promise<Row> {
  const tenant = await place.aTenant();
  const { checking, id } = await checkedImport(place, tenant);
  const startedAt = performance.now();
  await tenant.api.startLeadImport({ params: { id } });
  await reaches(tenant, id, 'completed');
  const writing = rate(startedAt);
  await published();
  const publishing = rate(startedAt);
  return {
    id: 'import',
    what: `Import of ${formatNumber(leads)} leads`,
    goal: `≥ ${formatNumber(goal)} rows/s`,
    reached: `${formatNumber(writing)} rows/s`,
    detail: `${formatNumber(publishing)} rows/s until their events are published; checked at ${formatNumber(checking)} rows/s`,
    isReached: writing >= goal,
  };
}

async function measureBeside(place: Place, published: () => Promise<unknown>): Promise<Row> {
  const tenant = await place.aTenant();
  const { api } = tenant;
  const { data: lead } = await api.createLead({
    body: { email: 'single@example.com', firstName: 'Grace', lastName: 'Hopper' },
  });
  const read = (more?: () => boolean) => p95(() => api.getLead({ params: { id: lead.id } }), more);
  await read();
  const alone = await read();
  const { id } = await checkedImport(place, tenant);
  const startedAt = performance.now();
  await api.startLeadImport({ params: { id } });
  let isDone = false;
  const done = reaches(tenant, id, 'completed').finally(() => {
    isDone = true;
  });
  const beside = await read(() => !isDone);
  await done;
  const writing = rate(startedAt);
  await published();
  return {
    id: 'import-beside',
    what: 'p95 of a single read beside an import',
    goal: `≤ ${slowdownGoal} × alone`,
    reached: `${formatNumber(beside / alone)} ×`,
    detail: `${formatNumber(alone)} ms alone, ${formatNumber(beside)} ms beside it, which imports ${formatNumber(writing)} rows/s meanwhile`,
    isReached: beside <= slowdownGoal * alone,
  };
}

/** Uploads the file, and creates an import of it that can start. */
async function checkedImport(place: Place, tenant: TestTenant): Promise<{ id: string; checking: number }> {
  const fileId = await upload(place, tenant);
  const checkedFrom = performance.now();
  const { data } = await tenant.api.createLeadImport({ body: { fileId, mapping } });
  await reaches(tenant, data.id, 'validated');
  return { id: data.id, checking: rate(checkedFrom) };
}

function rate(since: number): number {
  return leads / ((performance.now() - since) / 1_000);
}

const syllables = ['ba', 'ce', 'di', 'fo', 'gu', 'ha', 'je', 'ki', 'lo', 'mu', 'na', 'pe', 'ri', 'so', 'tu', 'va'];

/** A name that sounds different for each number: duplicates are looked for among names that sound the same. */
function nameOf(number: number): string {
  const parts = [number, number >> 4, number >> 8, number >> 12, number >> 16].map((part) => syllables[part & 15]);
  return parts.join('');
}

/** A file with an address, a name, most phone numbers and sources, and a custom field for each lead. */
function content(): string {
  const lines = Array.from({ length: leads }, (_, index) => {
    const address = `import.${index}@company${index % 5_000}.example`;
    const phone = `+49170${1_000_000 + index}`;
    // As in real files, some cells are empty.
    const optional = [index % 7 === 0 ? '' : phone, index % 5 === 0 ? '' : 'web'];
    return [address, nameOf(index), nameOf(index * 7_919), ...optional, `Sector ${index % 40}`].join();
  });
  return `email,first name,last name,phone,source,sector\n${lines.join('\n')}\n`;
}

async function upload({ baseUrl }: Place, { live }: TestTenant): Promise<string> {
  const body = new FormData();
  body.append('file', new Blob([content()], { type: 'text/csv' }), 'leads.csv');
  const response = await fetch(`${baseUrl}/v1/files/upload`, { method: 'POST', headers: { 'X-API-Key': live }, body });
  if (response.status !== 201) throw new Error(`The upload returned ${response.status}`);
  return ((await response.json()) as { data: { id: string } }).data.id;
}

async function reaches({ api }: TestTenant, id: string, status: string): Promise<void> {
  for (const endsAt = performance.now() + waitMs; performance.now() < endsAt; ) {
    const { data } = await api.getLeadImport({ params: { id } });
    if (data.status === status) return;
    if (data.status === 'failed') throw new Error(`The import failed: ${JSON.stringify(data.error)}`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  throw new Error(`The import is not ${status} after ${waitMs / 60_000} minutes`);
}

/** The 95th percentile of one call after another, in milliseconds: of 200, or of those while `more` is true. */
async function p95(call: () => Promise<unknown>, more?: () => boolean): Promise<number> {
  const times: number[] = [];
  while (more ? more() : times.length < calls) {
    const from = performance.now();
    await call();
    times.push(performance.now() - from);
  }
  return times.sort((one, other) => one - other)[Math.floor(times.length * 0.95)] as number;
}
