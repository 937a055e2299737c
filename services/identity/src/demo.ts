// Creates one demo tenant per plan through the public API and saves their credentials to a file. Run by `npm start`.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createCallerSigner } from '@tandem/caller';
import { createServiceClient } from '@tandem/client/internal';
import { ApiResponseError, createClient } from '@tandem/client/public';
import { type Plan, planCodes } from '@tandem/contract';
import { apiKeys, internalAdmin, roles, signIn, tenants, users } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { readConfig } from '@tandem/process';
import { z } from 'zod';

interface Credentials {
  baseUrl: string;
  tenants: {
    plan: Plan;
    tenantId: string;
    users: { email: string; password: string; role: string }[];
    keys: { live: string; sandbox: string };
  }[];
}

const settings = readConfig(
  z.object({
    GATEWAY_URL: z.url(),
    IDENTITY_URL: z.url(),
    INTERNAL_SECRETS: z.string(),
    IDS_ALPHABET: z.string(),
    CREDENTIALS_FILE: z.string().default('.local/credentials.json'),
  }),
);
const baseUrl = settings.GATEWAY_URL.replace(/\/$/, '');
const operations = { ...tenants, ...signIn, ...users, ...roles, ...apiKeys };
const enterprise = { monthlyCalls: 10_000_000, ratePerMinute: 20_000, burst: 2_000 };
const otherUsers = { admin: ['Grace', 'Hopper'], member: ['Alan', 'Turing'] } as const;

await main();
// Open keep-alive connections would otherwise keep the process running.
process.exit();

async function main(): Promise<void> {
  const saved = await readSaved();
  if (saved && (await isValid(saved))) {
    // The gateway URL may have changed since the last run.
    if (saved.baseUrl !== baseUrl) await save({ ...saved, baseUrl });
    return;
  }
  const created: Credentials['tenants'] = [];
  for (const plan of planCodes) created.push(await createDemoTenant(plan));
  await save({ baseUrl, tenants: created });
  console.log(`${created.length} demo tenants created: ${settings.CREDENTIALS_FILE}`);
}

async function readSaved(): Promise<Credentials | undefined> {
  try {
    return JSON.parse(await readFile(settings.CREDENTIALS_FILE, 'utf8')) as Credentials;
  } catch {
    // The file is missing or incomplete: create new tenants.
    return undefined;
  }
}

async function isValid({ tenants: [first] }: Credentials): Promise<boolean> {
  if (!first?.keys.sandbox) return false;
  const api = createClient({ operations, baseUrl, credentials: { apiKey: first.keys.sandbox } });
  return api.getMe().then(
    () => true,
    (error: unknown) => {
      // Only a rejected key means that the demo tenants must be recreated.
      if (error instanceof ApiResponseError && error.status === 401) return false;
      throw error;
    },
  );
}

async function createDemoTenant(plan: Plan): Promise<Credentials['tenants'][number]> {
  const email = (role: string) => `${role}@${plan}.example.com`;
  const owner = { email: email('owner'), password: newPassword(), role: 'owner' };
  const { data: signedUp } = await createClient({ operations, baseUrl }).createTenant({
    body: {
      name: `Demo ${plan}`,
      owner: { email: owner.email, password: owner.password, firstName: 'Ada', lastName: 'Lovelace' },
    },
  });
  const tenantId = signedUp.tenant.id;
  await setPlan(tenantId, plan);

  const api = createClient({ operations, baseUrl, credentials: { accessToken: signedUp.accessToken, tenantId } });
  const roleIds = new Map((await api.listRoles()).data.map(({ name, id }) => [name, id]));
  const others = await Promise.all(
    Object.entries(otherUsers).map(async ([role, [firstName, lastName]]) => {
      const password = newPassword();
      const roleId = roleIds.get(role);
      await api.createUser({ body: { email: email(role), password, firstName, lastName, ...(roleId && { roleId }) } });
      return { email: email(role), password, role };
    }),
  );
  const key = async (environment: 'live' | 'sandbox') =>
    (await api.createApiKey({ body: { name: `Demo ${environment}`, environment } })).data.fullKey;
  const [live, sandbox] = await Promise.all([key('live'), key('sandbox')]);
  return { plan, tenantId, users: [owner, ...others], keys: { live, sandbox } };
}

async function setPlan(code: string, plan: Plan): Promise<void> {
  if (plan === 'free') return;
  const identity = createServiceClient({
    operations: internalAdmin,
    baseUrl: settings.IDENTITY_URL,
    service: 'demo',
    signer: createCallerSigner(settings.INTERNAL_SECRETS),
  });
  const tenantId = createIdCodec(settings.IDS_ALPHABET).decode('tenant', undefined, code);
  if (tenantId === undefined) throw new Error(`The gateway returned ${code}, which is not a tenant id`);
  const body = { tenantId, plan, ...(plan === 'enterprise' && enterprise) };
  await identity.setTenantPlan({ body, as: { environment: 'live', requestId: `demo_${randomUUID()}` } });
}

function newPassword(): string {
  return randomBytes(12).toString('base64url');
}

/** Writes the file atomically, readable by its owner only. */
async function save(credentials: Credentials): Promise<void> {
  await mkdir(dirname(settings.CREDENTIALS_FILE), { recursive: true, mode: 0o700 });
  await writeFile(`${settings.CREDENTIALS_FILE}.new`, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await rename(`${settings.CREDENTIALS_FILE}.new`, settings.CREDENTIALS_FILE);
}
